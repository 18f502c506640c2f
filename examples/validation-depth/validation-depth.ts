// Five wrong calls and what the model is told: the cases that people ask about when they ask how deep validation goes.
// #region tool
import { defineTool, openProviso } from '../../src/index.ts'

const report = defineTool({
  name: 'report_issues',
  description: 'Reports the most important issues of one review.',
  effect: 'READ_ONLY',
  input: {
    type: 'object',
    required: ['topIssues', 'summary'],
    additionalProperties: false,
    properties: {
      topIssues: {
        type: 'array',
        items: {
          type: 'object',
          required: ['issueId', 'severity'],
          properties: { issueId: { type: 'string' }, severity: { enum: ['low', 'high'] } },
        },
      },
      summary: { type: 'string' },
    },
  },
  execute: ({ topIssues }) => ({ reported: topIssues.length }),
})
// #endregion tool

const item = { issueId: 'i-1', severity: 'low' }
const calls: readonly (readonly [string, unknown])[] = [
  ['wrong key', { top_issues: [item], summary: 's' }],
  ['missing key', { topIssues: [item] }],
  ['extra key', { topIssues: [item], summary: 's', extra: 1 }],
  ['wrong item', { topIssues: [{ title: 'foo' }], summary: 's' }],
  ['wrong nested type', { topIssues: [{ issueId: 7, severity: 'low' }], summary: 's' }],
  ['wrong nested value', { topIssues: [{ issueId: 'i-1', severity: 'High' }], summary: 's' }],
]

const proviso = await openProviso({ tools: [report] })
for (const [name, given] of calls) {
  const proposal = { tool: 'report_issues', arguments: JSON.stringify(given) }
  // Each in a run of its own: a model that is refused four times in a row is not sent back any more.
  const { response, effect, feedback } = await proviso.call(proposal, { run: name })
  console.log(`${name}: ${response.error_code}, effect ${effect}, ${response.next_action}`)
  for (const { field, message } of feedback?.field_errors ?? []) console.log(`  ${field}: ${message}`)
}
await proviso.close()
