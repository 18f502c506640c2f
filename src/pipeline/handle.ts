// One proposal from beginning to end: opened, run, written down. What is lost on the way — a ledger that does not answer, a proposal that
// throws when it is read — still ends as an answer.
import type { Answer } from '../contract/call/answer.ts'
import type { EndedCall, OpenedCall } from '../contract/call/stages.ts'
import type { Awaitable } from '../contract/tool/executor.ts'
import type { Surface } from '../contract/tool/surface.ts'
import { uuidv7 } from '../json/id.ts'
import { type CallContext, readContext } from './call/call-context.ts'
import type { Draft } from './call/draft.ts'
import { isContradicted, isDenied, withContradiction, withSuspicion } from './call/escalations.ts'
import { type RecordedInput, undoDialect, undoRecorded } from './call/inputs.ts'
import { type OpenCallInput, openCall } from './call/open-call.ts'
import { adoptRun, keepLabels } from './call/run-labels.ts'
import { requestHash } from './call/same-operation.ts'
import type { Deps } from './deps.ts'
import { stop } from './phase.ts'
import { lockWants, takesLocks } from './phases/schedule.ts'
import { makeAnswer } from './record/answers.ts'
import { loadedTool, lookUp, takenForNew } from './record/find-call.ts'
import { recordPass } from './record/record-pass.ts'
import { mayHaveHappened, run } from './run.ts'

export type HandleInput = Omit<OpenCallInput, 'surface' | 'context' | 'locks'> & {
  readonly context: unknown
  readonly surface: (context: CallContext) => Awaitable<Surface>
  /** Of a call that is on record and is run again by a decision: what was made of its arguments then is made of them now. */
  readonly recorded?: RecordedInput
}

export async function handle(input: HandleInput): Promise<Answer> {
  const { deps, seat } = input
  const locks = deps.locks.open()
  try {
    const context = readContext(input.context)
    const opened = openCall({ ...input, context, locks, surface: nothing })
    const ended = await endedCall(opened, context, input, locks.enclose)
    if (ended === undefined) return lost(opened, deps)
    const answer = await written(ended, deps).catch((fault: unknown) => {
      deps.report(fault)
      return unrecorded(ended, deps)
    })
    // Before the locks are free: a call that waits for them may not be meant to go on after this.
    const { tool } = ended
    seat?.ends(answer, () => (tool === undefined ? [] : lockWants(ended, tool)))
    return answer
  } finally {
    locks.release()
  }
}

/** The call as its pass ended; undefined where the ledger could not be asked about it. */
async function endedCall(
  opened: Draft,
  context: CallContext,
  input: HandleInput,
  enclose: <T>(work: () => T) => T,
): Promise<EndedCall | undefined> {
  const { deps, recorded } = input
  try {
    const offered = context.surface ?? input.surface(context)
    const surface = offered instanceof Promise ? await offered : offered
    opened.surface = deps.narrowing.surface(opened.tenant, surface)
    if (context.parentRun !== undefined) await adoptRun(opened, context.parentRun, deps)
    const tool = loadedTool(opened.surface, opened.proposal.tool, opened.principal)
    // By its record, because the version that is current by now may take back other nulls, and the call would not be found again.
    const undone = recorded === undefined ? undoDialect(opened, tool, context.dialect) : undoRecorded(opened, recorded)
    if (undone !== undefined) Object.assign(opened, undone)
    // Another version may declare other defaults: on record, it is found by the hash that it had.
    opened.inputHash = recorded === undefined ? requestHash(opened, tool) : recorded.inputHash
    // Calls that its code makes are made within it, where it may hold what they want.
    const inside: typeof enclose = tool !== undefined && takesLocks(tool) ? enclose : (work) => work()
    const guess = recorded === undefined ? takenForNew(opened, deps) : undefined
    if (guess !== undefined) {
      const guessed = await inside(() => run({ ...opened, ...guess }, deps))
      if (!('kind' in guessed)) return guessed
      // The guess was wrong, or never came to its admission: nothing has happened yet, and what it locked stays locked.
      opened.held = guessed.held
    }
    const known = lookUp(opened, input, recorded !== undefined)
    Object.assign(opened, known instanceof Promise ? await known : known)
    return await inside(() => run(opened, deps))
  } catch (fault) {
    deps.report(fault)
    return undefined
  }
}

const nothing: Surface = { entries: new Map(), aliases: new Map() }

async function written(ended: EndedCall, deps: Deps): Promise<Answer> {
  const call = isDenied(ended)
    ? await withSuspicion(ended, deps)
    : isContradicted(ended)
      ? withContradiction(ended, deps)
      : ended
  const labelling = keepLabels(call, deps)?.then(
    () => true,
    (fault: unknown) => {
      deps.report(fault)
      return false
    },
  )
  const answer = await recorded(call, deps)
  return labelling === undefined || (await labelling) ? answer : withheld(call, deps)
}

/** A reader of this result carries its labels; where those cannot be kept, it is not shown. What happened has happened. */
function withheld(call: EndedCall, { clock }: Deps): Answer {
  const message = 'The ledger did not take what this run is marked with, so its result is not shown.'
  const unshown = { ...call, data: undefined, value: undefined }
  return makeAnswer(unshown, stop('DEPENDENCY_UNAVAILABLE', 'not_recorded', message), clock.now())
}

async function recorded(call: EndedCall, deps: Deps): Promise<Answer> {
  // An attempt that is not settled keeps all others from the operation until it is recovered: one failure is not taken for an answer.
  // The second try is the same write, should the first have been done after all.
  const id = call.due === undefined ? undefined : uuidv7(deps.clock.now(), deps.entropy)
  for (let tries = id === undefined ? 1 : 2; tries > 0; tries--) {
    try {
      return await recordPass(call, deps, id)
    } catch (fault) {
      deps.report(fault)
    }
  }
  return unrecorded(call, deps)
}

/** Where the contract demands an audit or an attempt is to be settled, an answer without its record is no success, though what happened
 * has happened. */
function unrecorded(call: EndedCall, { clock }: Deps): Answer {
  const message = 'The ledger did not take the facts of this call.'
  if (call.tool?.contract.observability.audit_required === true || call.due !== undefined) {
    return makeAnswer(call, stop('DEPENDENCY_UNAVAILABLE', 'not_recorded', message), clock.now())
  }
  const { answer } = call
  const { observation } = answer
  const warnings = [...observation.result_payload.warnings, `not_recorded: ${message}`]
  return { ...answer, observation: { ...observation, result_payload: { ...observation.result_payload, warnings } } }
}

/** The ledger could not be asked, so it is not known whether this operation was done before. */
function lost(opened: OpenedCall, { clock }: Deps): Answer {
  const tool = loadedTool(opened.surface, opened.proposal.tool, opened.principal)
  // Where not even the surface is known, it is not known either what the tool would have been.
  const effect = opened.surface === nothing || mayHaveHappened({ tool, slotRef: undefined }) ? 'unknown' : 'none'
  const conclusion = stop(
    'DEPENDENCY_UNAVAILABLE',
    'dependency_unavailable',
    'The ledger did not answer, so nothing was started.',
  )
  return makeAnswer({ ...opened, tool, effect, data: undefined, parts: undefined }, conclusion, clock.now())
}
