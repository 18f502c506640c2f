// The example of the guide on results: what it prints is what the guide says.
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('cuts, refers, flags and counts steps as the guide says [result-status-is-told]', () => {
  const lines = execFileSync(process.execPath, ['examples/results/results.ts'], { encoding: 'utf8' })
  expect(lines.trimEnd().split('\n')).toEqual([
    'too_large {"orders":["o_0","o_1","o_2","o_3","o_4","o_5","o_6","o_7","',
    '140',
    'false',
    '[',
    "  'result_cleaned: 1 invisible character taken out',",
    expect.stringContaining('injection_suspected: override_instructions at /reviews/1'),
    ']',
    'partial_succeeded happened The step eve failed: There is no such mailbox.',
  ])
})
