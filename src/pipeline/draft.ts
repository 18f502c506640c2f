// The call as the loop works on it: one object for the whole pass, of one shape from the start. Properties that are added later, one by one
// and by name, would make a table of it, and every later reading of it a search.
import type { Call } from '../contract/call.ts'
import type { Fact } from '../contract/fact.ts'

export type Draft = { -readonly [K in keyof Call]: Call[K] }

/** Every property that a call can have; the compiler holds this to the interface. */
const blank: Readonly<Record<keyof Call, undefined>> = {
  id: undefined,
  pass: undefined,
  startedAt: undefined,
  openedAt: undefined,
  deadlineMs: undefined,
  tenant: undefined,
  tenantNamed: undefined,
  tenantKnown: undefined,
  principal: undefined,
  workflow: undefined,
  run: undefined,
  traceId: undefined,
  operationId: undefined,
  saga: undefined,
  resumeOnDecision: undefined,
  claim: undefined,
  untrusted: undefined,
  runLabels: undefined,
  proposal: undefined,
  source: undefined,
  reading: undefined,
  surface: undefined,
  signal: undefined,
  tool: undefined,
  undone: undefined,
  modelInput: undefined,
  inputHash: undefined,
  observableInput: undefined,
  permissionInput: undefined,
  callInput: undefined,
  callJson: undefined,
  keptCallInput: undefined,
  payloadHash: undefined,
  hookOutputs: undefined,
  mutations: undefined,
  fieldErrors: undefined,
  slotRef: undefined,
  unseen: undefined,
  lookedUp: undefined,
  slotRecord: undefined,
  judgedAt: undefined,
  generation: undefined,
  idempotencyKey: undefined,
  state: undefined,
  asks: undefined,
  approval: undefined,
  overtaken: undefined,
  grant: undefined,
  held: undefined,
  locks: undefined,
  seat: undefined,
  badName: undefined,
  resent: undefined,
  nonce: undefined,
  attempt: undefined,
  starts: undefined,
  tries: undefined,
  startLog: undefined,
  outcome: undefined,
  json: undefined,
  whole: undefined,
  data: undefined,
  parts: undefined,
  found: undefined,
  plan: undefined,
  resultBytes: undefined,
  trail: undefined,
  recorded: undefined,
  due: undefined,
  escalations: undefined,
  verification: undefined,
  verifiedBefore: undefined,
  settled: undefined,
  value: undefined,
  effect: undefined,
  warnings: undefined,
  conclusion: undefined,
  answer: undefined,
}

/** What is not known yet is there, and undefined: for whoever reads it, the same as absent. */
const shape: object = blank

/** A call of which nothing is known yet: whoever opens it says the rest. */
export const blankDraft = (): Draft => ({ ...shape }) as Draft

export function draftOf(call: Call, trail: Fact[]): Draft {
  // One that was opened here has its shape already, and is copied at once; its last property tells.
  return 'answer' in call ? { ...call, trail } : { ...shape, ...call, trail }
}
