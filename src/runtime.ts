// Wires the rooms: registers tools, opens the ledger, and runs proposals through the pipeline. call() always returns an answer.
import { type Approvals, createApprovals } from './approval/approvals.ts'
import type { Answer } from './contract/answer.ts'
import type { Escalation } from './contract/approval.ts'
import type { Proposal } from './contract/call.ts'
import { compileTool } from './contract/compile-tool.ts'
import { findContradictions } from './contract/contradictions.ts'
import type { BudgetKind } from './contract/effects.ts'
import type { Fact } from './contract/fact.ts'
import { Fault } from './contract/fault.ts'
import type { Hook } from './contract/hook.ts'
import type { Surface } from './contract/surface.ts'
import type { Tool } from './contract/tool.ts'
import type { ToolSource } from './define-tool.ts'
import { createLocks } from './execute/locks.ts'
import { type Clock, systemClock } from './json/clock.ts'
import { type Entropy, systemEntropy } from './json/id.ts'
import { nearestNames } from './json/nearest.ts'
import { defaultLimits, type ReadLimits } from './json/refusal.ts'
import type { CallQuery, CallRecord, Ledger } from './ledger/ledger.ts'
import { memory } from './ledger/memory/memory.ts'
import type { Deps, Policy } from './pipeline/deps.ts'
import { handle } from './pipeline/handle.ts'
import { type CallContext, findAgain, openCall, resumedContext } from './pipeline/open-call.ts'
import { type Replay, replay } from './pipeline/replay.ts'
import { buildSurface } from './surface/build-surface.ts'

export interface ProvisoOptions {
  /** Where calls, slots and approvals live; in memory when none is given. */
  readonly ledger?: Ledger
  readonly tools?: Iterable<ToolSource>
  /** The tenants that exist; any other is refused. Undefined: every tenant is taken as given. */
  readonly tenants?: Iterable<string>
  /** How many calls of each kind one run may make. */
  readonly budgets?: Partial<Record<BudgetKind, number>>
  readonly hooks?: readonly Hook[]
  readonly policies?: readonly Policy[]
  /** Tools that stay visible but may not be called, each with the reason. */
  readonly blocked?: Readonly<Record<string, string>>
  readonly limits?: Partial<ReadLimits>
  readonly clock?: Clock
  readonly entropy?: Entropy
}

export interface Proviso {
  call(proposal: Proposal, context?: CallContext): Promise<Answer>
  /** What this context may see. Pass it back in the context of calls, and later registrations will not widen it. */
  surface(context?: CallContext, tools?: Iterable<ToolSource>): Promise<Surface>
  /** Judges tools that a surface will be made of later, now: throws the Fault that registration would. */
  prepare(tools: Iterable<ToolSource>): void
  /** Loads deferred tools into a run, by name or by words of their hint. The discovery is recorded. */
  discover(words: string, context: CallContext): Promise<readonly string[]>
  readonly approvals: Approvals
  readonly escalations: { list(tenant?: string): Promise<readonly Escalation[]> }
  readonly calls: {
    list(query?: CallQuery): Promise<readonly CallRecord[]>
    get(id: string): Promise<CallRecord | undefined>
    facts(id: string): Promise<readonly Fact[]>
    /** Decides every gate of a recorded call again and reports where a verdict differs. */
    replay(id: string): Promise<readonly Replay[]>
  }
  close(): Promise<void>
}

/** A run may read a lot, write a little, reach outside seldom; critical mutations need to be allowed explicitly. */
export const defaultBudgets: Readonly<Record<BudgetKind, number>> = {
  read: 1_000,
  write: 100,
  external: 20,
  critical: 0,
}

export async function openProviso(options: ProvisoOptions = {}): Promise<Proviso> {
  const clock = options.clock ?? systemClock
  const ledger = options.ledger ?? memory({ clock })
  const limits = { ...defaultLimits, ...options.limits }
  const tenants = options.tenants === undefined ? undefined : new Set(options.tenants)
  const blocked = new Map(Object.entries(options.blocked ?? {}))
  const deps: Deps = {
    ledger,
    clock,
    entropy: options.entropy ?? systemEntropy,
    hooks: options.hooks ?? [],
    policies: options.policies ?? [],
    budgets: { ...defaultBudgets, ...options.budgets },
    locks: createLocks(),
  }
  const registered = new Map<string, Tool>()
  /** Every contract seen: waiting calls and replays are judged by the one they began with. */
  const byHash = new Map<string, Tool>()
  /** Tools that live as long as this Proviso: a call may be run again by them without its agent. */
  const pinnable = new Map<string, Tool>()
  const prepared = new WeakMap<ToolSource, Tool>()
  let closed = false

  const prepare = (source: ToolSource): Tool => {
    const known = prepared.get(source)
    if (known !== undefined) return known
    const tool = register(source, ledger.durability)
    prepared.set(source, tool)
    byHash.set(tool.contractHash, tool)
    return tool
  }

  for (const source of options.tools ?? []) {
    const tool = prepare(source)
    refuseTakenNames(tool, registered)
    registered.set(tool.contract.identity.name, tool)
    pinnable.set(tool.contractHash, tool)
  }

  const surfaceFor = async (context: CallContext, tools: Iterable<Tool>): Promise<Surface> =>
    buildSurface({
      tools,
      principal: { user: context.user, roles: context.roles ?? [], scopes: context.scopes ?? [], agent: context.agent },
      discovered:
        context.run === undefined ? new Set() : await ledger.discovered(context.tenant ?? 'default', context.run),
      blocked,
      now: clock.now(),
    })

  // Where no tool depends on who asks or when, one snapshot serves every call.
  const fixed = [...registered.values()].every(
    ({ contract, binding }) =>
      !binding.deferred && binding.roles === undefined && contract.identity.lifecycle.sunset_date === null,
  )
  const shared = fixed ? await surfaceFor({}, registered.values()) : undefined

  const callOn = (proposal: Proposal, context: CallContext): Promise<Answer> => {
    const surface = () => context?.surface ?? shared ?? surfaceFor(context, registered.values())
    return handle({ proposal, context, surface, tenants, limits, byHash, deps })
  }

  const resume = async (callId: string): Promise<void> => {
    const record = await ledger.call(callId)
    const tool = record === undefined ? undefined : pinnable.get(record.contractHash)
    if (record === undefined || tool === undefined) return
    const { proposal, context } = resumedContext(record)
    await callOn(proposal, { ...context, surface: onlySurface(tool) })
  }

  return {
    async call(proposal, context = {}) {
      if (closed) throw new Fault('closed', 'This Proviso is closed; open another one.')
      return callOn(proposal, context)
    },
    async surface(context = {}, tools) {
      if (tools !== undefined) return surfaceFor(context, [...tools].map(prepare))
      return shared ?? surfaceFor(context, registered.values())
    },
    prepare(tools) {
      for (const source of tools) prepare(source)
    },
    async discover(words, context) {
      if (context.run === undefined) throw new Fault('bad_options', 'A discovery belongs to a run; name it.')
      const found = findDeferred(words, registered.values())
      await ledger.discover(context.tenant ?? 'default', context.run, found)
      return found
    },
    approvals: createApprovals(ledger, clock, (approval) => resume(approval.callId)),
    escalations: { list: async (tenant) => ledger.escalations(tenant) },
    calls: {
      list: async (query = {}) => ledger.calls(query),
      get: async (id) => ledger.call(id),
      facts: async (id) => ledger.facts(id),
      async replay(id) {
        const record = await ledger.call(id)
        if (record === undefined) throw new Fault('unknown_call', `There is no call ${id.slice(0, 64)}.`)
        const tool = byHash.get(record.contractHash)
        if (tool === undefined && record.contractHash !== '') {
          throw new Fault('unknown_call', 'The contract of this call is not registered here.')
        }
        // A call that found no tool is decided again on what is registered now.
        const surface = tool === undefined ? (shared ?? surfaceFor({}, registered.values())) : onlySurface(tool)
        return replayRecord(record, await surface, await ledger.facts(id), { deps, limits, tenants, byHash })
      },
    },
    async close() {
      closed = true
      await ledger.close()
    },
  }
}

function register(source: ToolSource, durability: Ledger['durability']): Tool {
  const name = source.contract.identity.name
  const compilation = compileTool(source.contract, source.binding)
  const problems = compilation.ok
    ? findContradictions(compilation.tool, { ledger: durability }).map(
        ({ id, pointer, message }) => `${id} at ${pointer}: ${message}`,
      )
    : compilation.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  if (compilation.ok && problems.length === 0) return compilation.tool
  throw new Fault('registration_refused', `Tool ${name} is refused. ${problems.join(' ')}`, { details: problems })
}

function refuseTakenNames(tool: Tool, registered: ReadonlyMap<string, Tool>): void {
  const names = new Set(
    [...registered.values()].flatMap((other) => [other.contract.identity.name, ...other.binding.aliases]),
  )
  const taken = [tool.contract.identity.name, ...tool.binding.aliases].filter((name) => names.has(name))
  if (taken.length > 0) {
    throw new Fault(
      'registration_refused',
      `Tool ${tool.contract.identity.name} is refused: the name ${taken.join(', ')} is taken.`,
    )
  }
}

/** By name, or by words that occur in name, hint or description. */
function findDeferred(words: string, tools: Iterable<Tool>): readonly string[] {
  const deferred = [...tools].filter((tool) => tool.binding.deferred)
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1)
  const hits = deferred.filter(({ contract, binding }) => {
    const text =
      `${contract.identity.name} ${binding.searchHint ?? ''} ${contract.affordance.model_description}`.toLowerCase()
    return wanted.length > 0 && wanted.every((word) => text.includes(word))
  })
  const names = hits.map((tool) => tool.contract.identity.name)
  return names.length > 0
    ? names
    : nearestNames(
        words,
        deferred.map((tool) => tool.contract.identity.name),
        1,
      )
}

/** A surface of one tool: the one a recorded call was judged by. */
function onlySurface(tool: Tool): Surface {
  return {
    entries: new Map([[tool.contract.identity.name, { status: 'loaded', tool, deprecated: undefined }]]),
    aliases: new Map(),
  }
}

interface ReplayInput {
  readonly deps: Deps
  readonly limits: ReadLimits
  readonly tenants: ReadonlySet<string> | undefined
  readonly byHash: ReadonlyMap<string, Tool>
}

async function replayRecord(
  record: CallRecord,
  surface: Surface,
  facts: readonly Fact[],
  input: ReplayInput,
): Promise<readonly Replay[]> {
  const { proposal, context } = resumedContext(record)
  const first = openCall({ ...input, proposal, context, surface })
  const again = await findAgain(first, input)
  const kept = record.callInput === undefined ? {} : { keptCallInput: record.callInput }
  // Only later passes begin with what hooks said in the first one.
  const passes = Map.groupBy(facts, (fact) => fact.pass)
  return [...passes].map(([pass, own]) =>
    replay({ ...(pass === 1 ? first : again), ...kept, id: record.id, pass }, own),
  )
}
