// The example of the guide on batches: what it prints is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('runs a step in the order of its proposals, and ends what depends on a failure [batch-keeps-order] [batch-sibling-policy]', () => {
  const lines = execFileSync(process.execPath, ['examples/batches/batches.ts'], { encoding: 'utf8' })
  expect(lines.trimEnd().split('\n')).toEqual([
    'read_order_v1 {"pieces":1}',
    'add_pieces_v1 {}',
    'read_order_v1 {"pieces":3}',
    '0 none execution_failed',
    '1 none sibling_canceled',
  ])
})
