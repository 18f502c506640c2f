// The example of the guide on versions: what it prints is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('tries out, promotes, rolls back and refuses a mix [canary-by-run] [release-is-whole]', () => {
  const lines = execFileSync(process.execPath, ['examples/versions/versions.ts'], { encoding: 'utf8' })
  expect(lines.trimEnd().split('\n')).toEqual([
    '2.0.0 SUCCESS | 1.4.0 SUCCESS',
    '2.0.0 SUCCESS | run-2 stays with 1.4.0 SUCCESS',
    '1.4.0 | 1.4.0 SUCCESS',
    'release_mismatch',
    '2.0.0 SUCCESS',
  ])
})
