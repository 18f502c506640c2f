// The example of the guide to executors: its tools are taken as they are declared.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('registers every tool of the guide to executors', () => {
  const printed = execFileSync(process.execPath, ['examples/executors/http.ts'], { encoding: 'utf8' })
  expect(printed.trim().split(' ')).toEqual([
    'get_order_v1',
    'update_order_v1',
    'book_rate_v1',
    'draft_reminder_v1',
    'send_reminder_v1',
  ])
})

it.skipIf(process.platform !== 'linux')('runs the program and writes the files of the guide to executors', () => {
  const printed = execFileSync(process.execPath, ['examples/executors/local.ts'], { encoding: 'utf8' })
  expect(printed.trim().split('\n')).toEqual([
    'count_words_v1 SUCCESS none',
    'write_note_v1 SUCCESS happened',
    'write_note_v1 POLICY_VIOLATION none',
    'delete_note_v1 SUCCESS happened',
  ])
})
