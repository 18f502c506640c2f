// What the specification of this project asks for, one row each, under the ids that it has there and in words of our own. A test cites the
// rows that it shows at the end of its title, as in `it('answers a duplicate from the record [TC-101, TC-169 to TC-171]')`. A row that no
// test cites says why. specification.test.ts holds the two against each other, and docs/reference/specification.md prints them.
import { contractRows } from './specification/contracts.ts'
import { driftRows } from './specification/drift.ts'
import { effectRows } from './specification/effects.ts'
import { peopleRows } from './specification/people.ts'
import { pipelineRows } from './specification/pipeline.ts'
import { taxonomyRows } from './specification/taxonomy.ts'
import { verificationRows } from './specification/verification.ts'

/** Why no test shows a row. The list is closed: a row that fits none of it is met, or is mended. */
export const reasons = {
  'not looked at yet': 'Not looked at yet.',
  'turn engine': 'Waits for the turn engine.',
  adapters: 'Waits for the adapters.',
  gateway: 'Waits for the gateway.',
  telemetry: 'Waits for telemetry.',
  evaluation: 'Waits for the evaluation.',
  '21 §1': 'Issue 21, section 1: no agent loops for ever.',
  '21 §2': 'Issue 21, section 2: whose operation it is.',
  '21 §3': 'Issue 21, section 3: compensated, verified, kept.',
  '21, in no list': 'Issue 21: in no list of it, and to be mended there.',
  '22 §1': 'Issue 22, section 1: the effect class.',
  '22 §2': 'Issue 22, section 2: fields that are read by no code.',
  '22 §3': 'Issue 22, section 3: what the model is shown.',
  'ADR 5': 'Decided otherwise.',
  'ADR 6': 'Decided otherwise.',
  'ADR 10': 'Decided otherwise.',
  'ADR 14': 'Decided otherwise.',
  'ADR 19': 'Decided otherwise.',
  'ADR 20': 'Decided otherwise.',
  'ADR 21': 'Decided otherwise.',
  'ADR 22': 'Decided otherwise.',
  'ADR 44': 'Decided otherwise.',
} as const

export type Reason = keyof typeof reasons

/** A name; and where no test shows the row, why. */
export type Row = string | readonly [name: string, reason: Reason]

export type Rows = Readonly<Record<string, Row>>

export interface SpecificationPart {
  readonly title: string
  readonly rows: Rows
}

export const specification: readonly SpecificationPart[] = [
  { title: 'Contracts, gates and the wrapper', rows: contractRows },
  { title: 'Credentials, effect classes, budgets, idempotency, retries and sagas', rows: effectRows },
  { title: 'People, observations and executors', rows: peopleRows },
  { title: 'The taxonomy, measures and handoffs', rows: taxonomyRows },
  { title: 'Verification', rows: verificationRows },
  { title: 'Drift, turns and the depth of validation', rows: driftRows },
  { title: 'The execution pipeline', rows: pipelineRows },
]

export const nameOf = (row: Row): string => (typeof row === 'string' ? row : row[0])
export const reasonOf = (row: Row): Reason | undefined => (typeof row === 'string' ? undefined : row[1])
