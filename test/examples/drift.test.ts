// The examples of the guide on drift: what they print is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

const linesOf = (file: string) =>
  execFileSync(process.execPath, [`examples/drift/${file}.ts`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

it('stops a session in front of a relay that is broader, and lets one through that fits', () => {
  const [drift = '', fits] = linesOf('capabilities')
  expect(drift).toMatch(/^refund_v1 \/amount \{.*"amount":1001.*\}$/)
  expect(fits).toBe('{"checked":true,"version":"1.0.0","tools":1}')
})

it('calls a tool of others as a person approved it, and not otherwise', () => {
  expect(linesOf('pins')).toEqual([
    'search changed description-changed dangerous',
    'POLICY_VIOLATION blocked_tool none',
    'found',
  ])
})
