// Runs the calls of one model step together. Every proposal comes to exactly one answer, also where its siblings fail or its caller leaves:
// a call that is not to start any more still passes its gates and is refused at schedule, with its facts, like one whose caller left.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Answer } from '../../contract/call/answer.ts'
import type { Proposal } from '../../contract/call/call.ts'
import type { LockWant, Seat } from '../../contract/call/call-locks.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Surface } from '../../contract/tool/surface.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { createFailedResources } from '../../execute/schedule/failed-resources.ts'
import { createBatchFrontier, createStartOrder, type StartFacts } from '../../execute/schedule/start-order.ts'
import { uuidv7 } from '../../json/id.ts'
import { type CallContext, readContext } from '../call/call-context.ts'
import type { Deps } from '../deps.ts'
import { batchOutOfTime, siblingFailed, takesLocks } from '../phases/schedule.ts'
import { loadedTool } from '../record/find-call.ts'
import { changesNothing, createBatchContext } from './batch-context.ts'
import type { BatchRules } from './batch-options.ts'

export interface BatchInput {
  readonly proposals: readonly Proposal[]
  readonly context: unknown
  readonly rules: BatchRules
  readonly surface: (context: CallContext) => Awaitable<Surface>
  readonly call: (proposal: Proposal, surface: () => Awaitable<Surface>, seat: Seat) => Promise<Answer>
  readonly deps: Deps
  /** Whether its caller can go away without aborting the signal of the context. */
  readonly abandonable: boolean
  /** Called once for every proposal. */
  readonly ended: (index: number, answer: Answer) => void
}

export interface RunningBatch {
  /** When the last call has ended. */
  readonly done: Promise<void>
  /** The answers are no longer wanted. */
  abandon(): void
}

interface Member {
  readonly controller: AbortController | undefined
  tool: Tool | undefined
  facts: StartFacts
  launched: boolean
  /** It is past schedule: from here on it is ended early only where its tool's `interrupt` allows it. */
  started: boolean
  ended: boolean
  /** What it asked for, while it has not started. */
  wants: readonly LockWant[]
  inTurn: (() => void) | undefined
  /** Siblings that wait for its end, having proposed the same operation. */
  readonly equals: (() => void)[]
}

const abandoned = new DOMException('The caller went away.', 'AbortError')
const nothing: readonly never[] = Object.freeze([])

export function runBatch(input: BatchInput): RunningBatch {
  const { proposals, rules, deps } = input
  const size = proposals.length
  const context = readContext(input.context)
  const around = createBatchContext(context, deps)
  const batch = uuidv7(deps.clock.now(), deps.entropy)
  const isSerialized = rules.contextModifiers === 'allow_serial_only'
  const cancels = rules.siblingFailure !== 'ignore'
  // Signals take a tenth of the time that a call takes: none where none would be used.
  const canBeInterrupted =
    cancels || input.abandonable || rules.deadlineMs !== undefined || context.signal !== undefined
  const members: Member[] = proposals.map(() => ({
    controller: canBeInterrupted ? new AbortController() : undefined,
    tool: undefined,
    facts: changesNothing,
    launched: false,
    started: false,
    ended: false,
    wants: nothing,
    inTurn: undefined,
    equals: [],
  }))
  /** By slot: which call is under way with it. */
  const claimed = new Map<string, Member>()
  const dependents = cancels ? dependentsOf(rules.after) : undefined
  const failedOn = createFailedResources()
  /** A call may be started while a phase of its sibling runs. That does not make it a call of the sibling. */
  const outside = AsyncLocalStorage.snapshot()
  let labels: readonly string[] | undefined
  let surface: Awaitable<Surface> | undefined
  let underWay = 0
  let left = size
  let allEnded = () => {}
  const done = new Promise<void>((resolve) => {
    allEnded = resolve
  })

  const surfaceNow = (): Awaitable<Surface> => {
    surface ??= context.surface ?? input.surface(context)
    return surface
  }

  const orderOf = () =>
    createStartOrder({
      size,
      serial: rules.ordering === 'serial',
      facts: (index) => members[index]?.facts ?? changesNothing,
      after: (index) => rules.after.get(index) ?? nothing,
    })
  let order: ReturnType<typeof orderOf> | undefined
  /** The first that may still ask for locks: all before it have asked, or have ended. */
  const askingOf = () => createBatchFrontier(size, (index) => isTaker(members[index]?.tool))
  let asking = askingOf()

  /** Looks at the tools as they are now, for all that have not been started. */
  const takeTools = (offered: Surface) => {
    for (const [index, member] of members.entries()) {
      if (member.launched) continue
      member.tool = loadedTool(offered, proposedTool(proposals[index]), { roles: context.roles ?? [] })
      if (isSerialized) member.facts = around.factsOf(member.tool)
    }
    order = orderOf()
    asking = askingOf()
    for (const [index, member] of members.entries()) {
      if (member.launched) order.take(index)
      if (!member.ended) continue
      order.ended(index)
      asking.pass(index)
    }
  }

  const launch = (index: number, member: Member) => {
    member.launched = true
    underWay++
    order?.take(index)
    const proposal = proposals[index] as Proposal
    void input.call(proposal, surfaceNow, seatOf(index, member)).then((answer) => end(index, member, answer))
  }

  const startMore = () => {
    while (order !== undefined && underWay < rules.maxParallel) {
      const index = order.next()
      const member = index === undefined ? undefined : members[index]
      if (index === undefined || member === undefined) return
      launch(index, member)
    }
  }

  /** The next in turn may ask for its locks. */
  const goOn = () => {
    const next = members[asking.at()]
    const inTurn = next?.inTurn
    if (next !== undefined) next.inTurn = undefined
    inTurn?.()
  }

  const interrupt = (index: number, member: Member, reason: unknown) => {
    if (member.ended || (member.started && member.tool?.binding.interrupt === 'block')) return
    member.controller?.abort(reason)
    member.inTurn?.()
    member.inTurn = undefined
    // It starts nothing, so nothing needs to make room for it.
    if (!member.launched) launch(index, member)
  }

  const interruptAll = (reason: unknown) => {
    for (const [index, member] of members.entries()) interrupt(index, member, reason)
  }

  const failed = (index: number, wants: readonly LockWant[], isPending: boolean): void => {
    if (rules.siblingFailure === 'cancel_siblings' && !isPending) interruptAll(siblingFailed)
    for (const other of dependents?.get(index) ?? []) {
      const dependent = members[other]
      if (dependent !== undefined) interrupt(other, dependent, siblingFailed)
    }
    if (rules.siblingFailure !== 'cancel_dependent') return
    failedOn.add(index, wants)
    for (const [other, member] of members.entries()) {
      if (!member.started && failedOn.isNeededBy(other, member.wants)) interrupt(other, member, siblingFailed)
    }
  }

  /** Runs once for each call, though it is called twice: before the locks of the call are free, where there are any, and at its end. */
  const conclude = (index: number, member: Member, answer: Answer, wants: () => readonly LockWant[]) => {
    if (member.ended) return
    member.ended = true
    asking.pass(index)
    order?.ended(index)
    for (const goesOn of member.equals.splice(0)) goesOn()
    if (cancels && answer.observation.status.is_error) failed(index, wants(), answer.effect === 'pending')
  }

  const end = (index: number, member: Member, answer: Answer) => {
    conclude(index, member, answer, () => nothing)
    underWay--
    left--
    input.ended(index, answer)
    goOn()
    if (left === 0) {
      clearTimeout(timer)
      context.signal?.removeEventListener('abort', abandon)
      allEnded()
    } else if (member.facts.alone && context.surface === undefined) begin()
    else startMore()
  }

  const seatOf = (index: number, member: Member): Seat => ({
    batch,
    index,
    signal: member.controller?.signal,
    labels,
    changesContext() {
      if (rules.contextModifiers !== 'forbid' || size === 1 || member.tool === undefined) return false
      return around.changedBy(member.tool)
    },
    claims(slotKey) {
      const other = claimed.get(slotKey)
      if (other === undefined || other === member || other.ended) {
        claimed.set(slotKey, member)
        return undefined
      }
      if (member.controller?.signal.aborted === true) return undefined
      // The other one may be waiting for this one to take its turn: it gives that up, since the record will answer it.
      asking.pass(index)
      goOn()
      return endOf(other, member).then(() => this.claims(slotKey))
    },
    turn() {
      if (!isTaker(member.tool) || asking.at() >= index) return undefined
      return new Promise((resolve) => {
        member.inTurn = resolve
      })
    },
    asked(wants) {
      asking.pass(index)
      order?.judged(index)
      if (failedOn.isNeededBy(index, wants)) interrupt(index, member, siblingFailed)
      else member.wants = wants
      goOn()
      if (member.facts.heeds) outside(startMore)
    },
    starts() {
      member.started = true
      member.wants = nothing
    },
    ends: (answer, wants) => conclude(index, member, answer, wants),
  })

  /** Reads which tools there are, and starts what may start. */
  const begin = () => {
    surface = undefined
    const reading = (async () => takeTools(await surfaceNow()))()
    // What cannot be read is said by every call itself.
    void reading.catch(() => takeTools({ entries: new Map(), aliases: new Map() })).then(startMore)
  }

  const abandon = () => interruptAll(abandoned)
  const timer =
    rules.deadlineMs === undefined
      ? undefined
      : setTimeout(() => interruptAll(batchOutOfTime), Math.min(rules.deadlineMs, 2_147_483_647))
  context.signal?.addEventListener('abort', abandon, { once: true })
  if (size === 0) {
    clearTimeout(timer)
    allEnded()
  } else if (isSerialized || context.run === undefined) begin()
  else
    void around.labels().then((read) => {
      if (rules.contextModifiers === 'defer_until_batch_complete') labels = read
      begin()
    })
  if (context.signal?.aborted === true) abandon()
  return { done, abandon }
}

/** Resolves when a sibling has ended, or when the call that waits is not to go on. */
function endOf(other: Member, waiting: Member): Promise<void> {
  return new Promise((resolve) => {
    other.equals.push(resolve)
    waiting.controller?.signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

const isTaker = (tool: Tool | undefined) => tool !== undefined && takesLocks(tool)

function dependentsOf(after: BatchRules['after']): ReadonlyMap<number, readonly number[]> {
  const dependents = new Map<number, number[]>()
  for (const [index, others] of after)
    for (const other of others) dependents.set(other, [...(dependents.get(other) ?? []), index])
  return dependents
}

/** A proposal may be anything, also something that throws when it is looked at; its call says so. */
function proposedTool(proposal: Proposal | undefined): string {
  try {
    const name: unknown = proposal?.tool
    return typeof name === 'string' ? name : ''
  } catch {
    return ''
  }
}
