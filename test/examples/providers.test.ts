// The example of the guide on providers: what it prints is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('shows a tool in a dialect, books once for two providers, and gives one tenant less [one-slot-across-providers]', () => {
  const printed = execFileSync(process.execPath, ['examples/providers/providers.ts'], { encoding: 'utf8' })
  expect(printed).toContain('"strict": true')
  expect(printed.trimEnd().split('\n').slice(-3)).toEqual([
    expect.stringMatching(/^hotel_book_room_v1_[0-9a-f]{8} strict listed .*minLength/),
    "happened true { guest: 'Bo', nights: 2 }",
    'OUT_OF_BOUNDS',
  ])
})
