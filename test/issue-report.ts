// The schema of a well-known question to agent SDKs, how deep arguments are validated: a list of issues in a report, closed at the top. What
// an issue is, each test says itself.
import type { JsonObject } from '../src/json/value.ts'

export const issueReport = (issue: JsonObject) => ({
  type: 'object',
  required: ['topIssues', 'summary'],
  additionalProperties: false,
  properties: {
    topIssues: { type: 'array', items: { type: 'object', required: ['issueId', 'severity'], ...issue } },
    summary: { type: 'string' },
  },
})
