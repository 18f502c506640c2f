// One proposal from beginning to end: opened, run, written down. Whatever is lost on the way — a ledger that does not answer, a
// proposal that throws when it is read — still ends as an answer.
import type { Answer } from '../contract/call/answer.ts'
import type { Call, Mutation } from '../contract/call/call.ts'
import type { Seat } from '../contract/call/call-locks.ts'
import type { Awaitable } from '../contract/tool/executor.ts'
import type { Surface } from '../contract/tool/surface.ts'
import { uuidv7 } from '../json/id.ts'
import { type CallContext, readContext } from './call/call-context.ts'
import { lockWants, takesLocks } from './call/lock-wants.ts'
import { type OpenCallInput, openCall } from './call/open-call.ts'
import { adoptRun, keepLabels } from './call/run-labels.ts'
import { isDenied, suspected } from './call/suspicion.ts'
import { undoDialect, undoRecorded } from './call/undo-dialect.ts'
import type { Deps } from './deps.ts'
import { stop } from './phase.ts'
import { makeAnswer } from './record/answers.ts'
import { findAgain, loadedTool, takenForNew } from './record/find-call.ts'
import { recordPass } from './record/record-pass.ts'
import { mayHaveHappened, type Pass, run } from './run.ts'

export type HandleInput = Omit<OpenCallInput, 'surface' | 'context'> & {
  readonly context: unknown
  readonly surface: (context: CallContext) => Awaitable<Surface>
  /** Its place in a batch, whose signal then stands for the caller's. */
  readonly seat?: Seat
  /** Of a call that is on record and is run again by a decision: what was made of its arguments then is made of them now. */
  readonly recorded?: readonly Mutation[]
}

export async function handle(input: HandleInput): Promise<Answer> {
  const { deps, seat } = input
  const locks = deps.locks.open()
  try {
    const context = readContext(input.context)
    const call = openCall({ ...input, context, surface: nothing })
    const placed: Call = seat === undefined ? { ...call, locks } : { ...call, locks, seat, signal: seat.signal }
    const pass = await passed(placed, context, input, locks.enclose)
    if (!('facts' in pass)) return pass
    const answer = await written(pass, deps).catch((fault: unknown) => {
      deps.report(fault)
      return unrecorded(pass, deps)
    })
    // Before the locks are free: whoever waits for them may not be meant to go on after this.
    const { tool } = pass.call
    seat?.ends(answer, () => (tool === undefined ? [] : lockWants(pass.call, tool)))
    return answer
  } finally {
    locks.release()
  }
}

/** The pass that answers the call; or the answer, where the ledger could not be asked about it. */
async function passed(
  given: Call,
  context: CallContext,
  input: HandleInput,
  enclose: <T>(work: () => T) => T,
): Promise<Pass | Answer> {
  const { deps } = input
  let opened = given
  let call: Call
  try {
    const surface = context.surface ?? input.surface(context)
    const seen = surface instanceof Promise ? await surface : surface
    opened = { ...opened, surface: deps.narrowing.surface(opened.tenant, seen) }
    if (context.parentRun !== undefined) await adoptRun(opened, context.parentRun, deps)
    const tool = loadedTool(opened.surface, opened.proposal.tool)
    const { recorded } = input
    // By its record, because the version that is current by now may take back other nulls, and nobody would find the call again.
    opened = recorded === undefined ? undoDialect(opened, tool, context.dialect) : undoRecorded(opened, recorded)
    // Calls that its code makes are made within it, where it may hold what they want.
    const runs = (of: Call) => (tool !== undefined && takesLocks(tool) ? enclose(() => run(of, deps)) : run(of, deps))
    const guessed = recorded === undefined ? takenForNew(opened, deps) : undefined
    const guess = guessed === undefined ? undefined : await runs(guessed)
    if (guess?.call.attempt !== undefined) return guess
    const found = findAgain(opened, input, recorded !== undefined)
    call = found instanceof Promise ? await found : found
    // The guess was wrong, or never came to its admission: nothing has happened yet, and what it locked stays locked.
    const held = guess?.call.held
    return await runs(held === undefined ? call : { ...call, held })
  } catch (fault) {
    deps.report(fault)
    return lost(opened, deps)
  }
}

const nothing: Surface = { entries: new Map(), aliases: new Map() }

async function written(ended: Pass, deps: Deps): Promise<Answer> {
  const pass = isDenied(ended.call) ? await suspected(ended, deps) : ended
  const labelling = keepLabels(pass, deps)?.then(
    () => true,
    (fault: unknown) => {
      deps.report(fault)
      return false
    },
  )
  const answer = await recorded(pass, deps)
  return labelling === undefined || (await labelling) ? answer : withheld(pass, deps)
}

/** Whoever has seen this result carries its labels; where those cannot be kept, it is not shown. What happened has happened. */
function withheld({ call }: Pass, { clock }: Deps): Answer {
  const { data: _data, value: _value, ...rest } = call
  const message = 'The ledger did not take what this run is marked with, so its result is not shown.'
  return makeAnswer(rest, stop('DEPENDENCY_UNAVAILABLE', 'not_recorded', message), clock.now())
}

async function recorded(pass: Pass, deps: Deps): Promise<Answer> {
  // An attempt that is not settled keeps everybody from the operation until it is recovered: one failure is not taken for an answer.
  // The second try is the same write, should the first have been done after all.
  const id = pass.call.due === undefined ? undefined : uuidv7(deps.clock.now(), deps.entropy)
  for (let tries = id === undefined ? 1 : 2; tries > 0; tries--) {
    try {
      return await recordPass(pass, deps, id)
    } catch (fault) {
      deps.report(fault)
    }
  }
  return unrecorded(pass, deps)
}

/** Where the contract demands an audit or an attempt is to be settled, an answer without its record is no success, though what happened
 * has happened. */
function unrecorded({ call, answer }: Pass, { clock }: Deps): Answer {
  const message = 'The ledger did not take the facts of this call.'
  if (call.tool?.contract.observability.audit_required === true || call.due !== undefined) {
    return makeAnswer(call, stop('DEPENDENCY_UNAVAILABLE', 'not_recorded', message), clock.now())
  }
  const { observation } = answer
  const warnings = [...observation.result_payload.warnings, `not_recorded: ${message}`]
  return { ...answer, observation: { ...observation, result_payload: { ...observation.result_payload, warnings } } }
}

/** The ledger could not be asked, so nobody can say whether this operation was done before. */
function lost(call: Call, { clock }: Deps): Answer {
  const tool = loadedTool(call.surface, call.proposal.tool)
  const known: Call = tool === undefined ? call : { ...call, tool }
  // Where not even the surface is known, nobody can say what the tool would have been.
  const effect = call.surface === nothing || mayHaveHappened(known) ? 'unknown' : 'none'
  const conclusion = stop(
    'DEPENDENCY_UNAVAILABLE',
    'dependency_unavailable',
    'The ledger did not answer, so nothing was started.',
  )
  return makeAnswer({ ...known, effect }, conclusion, clock.now())
}
