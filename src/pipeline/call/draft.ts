// The object that a call is: one for the whole pass, of one shape from its start to its answer. A property that is added later, by its
// name, would turn it into a table, and each reading of it into a search.
import type { AdmittedCall, EndedCall, OpenedCall } from '../../contract/call/stages.ts'

/** A call to the code that opens it and to the loop: an object that has a field for every stage. Phases see one stage of it, read-only. */
export type Draft = { -readonly [Field in keyof AdmittedCall]: AdmittedCall[Field] } & {
  conclusion: EndedCall['conclusion'] | undefined
  answer: EndedCall['answer'] | undefined
}

const none: readonly never[] = Object.freeze([])

/** All fields, as a call has them before anything is known of it: counts begin with the call, the rest is undefined. */
const blank = {
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
  turn: undefined,
  traceId: undefined,
  operationId: undefined,
  saga: undefined,
  resumeOnDecision: undefined,
  claim: undefined,
  untrusted: undefined,
  badContext: undefined,
  proposal: undefined,
  source: undefined,
  reading: undefined,
  inputHash: undefined,
  undone: undefined,
  surface: undefined,
  signal: undefined,
  locks: undefined,
  held: undefined,
  seat: undefined,
  runLabels: undefined,
  unseen: false,
  lookedUp: undefined,
  resent: false,
  hookOutputs: undefined,
  permissionInput: undefined,
  keptCallInput: undefined,
  verifiedBefore: undefined,
  effect: 'none',
  warnings: none,
  mutations: none,
  repair: undefined,
  escalations: undefined,
  trail: none,
  recorded: 0,

  tool: undefined,
  modelInput: undefined,
  fieldErrors: undefined,

  observableInput: undefined,
  callInput: undefined,
  callJson: undefined,
  slotRef: undefined,
  slotRecord: undefined,
  contradicted: false,
  judgedAt: undefined,
  generation: 1,
  asks: undefined,
  state: undefined,
  payloadHash: undefined,
  approval: undefined,
  overtaken: false,
  grant: undefined,

  nonce: undefined,
  idempotencyKey: undefined,
  attempt: 1,
  starts: 0,
  tries: 1,
  startLog: undefined,
  outcome: undefined,
  json: undefined,
  data: undefined,
  whole: undefined,
  value: undefined,
  resultBytes: undefined,
  parts: undefined,
  found: undefined,
  plan: undefined,
  due: undefined,
  settled: undefined,
  verification: undefined,

  conclusion: undefined,
  answer: undefined,
} as const satisfies Record<keyof EndedCall, unknown>

/** What a call cannot be opened without. */
type Given = Exclude<
  | {
      [Field in keyof OpenedCall]: undefined extends OpenedCall[Field]
        ? never
        : (typeof blank)[Field] extends undefined
          ? Field
          : never
    }[keyof OpenedCall]
  | 'judgedAt',
  undefined
>

/** Every call begins as a copy of it, in one literal with what it is opened with. */
export const shape = blank as unknown as Omit<Draft, Given>
