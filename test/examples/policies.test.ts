// The example that the guide to policies is made of: it runs, and comes to what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('is refused in four ways, asked about in two, and gives one credit', () => {
  const lines = execFileSync(process.execPath, ['examples/policies/policies.ts'], { encoding: 'utf8' }).trimEnd()
  expect(lines.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'SEMANTIC_INVALIDITY',
    'SEMANTIC_INVALIDITY',
    'PERMISSION_DENIED',
    'POLICY_VIOLATION',
    'CONFIRMATION_MISSING',
    'SUCCESS',
    'CONFIRMATION_MISSING',
    'pending',
  ])
  expect(lines).toMatch(/pending \[ 'acme 5' \]$/)
})
