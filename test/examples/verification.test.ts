// The example of the guide on verification: what it prints is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('waits for what is not there yet, and says what never came [verified-later] [predicates-decide]', () => {
  const lines = execFileSync(process.execPath, ['examples/verification/verification.ts'], { encoding: 'utf8' })
  expect(lines.trimEnd().split('\n')).toEqual([
    'PENDING propagation_delay',
    'VERIFIED trust 4',
    'FAILED no_op_success recover_forward',
    'verification_failed',
  ])
})
