// Wires the rooms: registers tools, opens the ledger, and runs proposals through the pipeline. call() always returns an answer.
import type { Approvals, ApprovalView } from './approval/approvals.ts'
import type { BudgetRequest } from './approval/budget-request.ts'
import type { Grants } from './approval/grants.ts'
import { createPeople } from './approval/people.ts'
import type { ResolutionInput } from './approval/resolve-held.ts'
import type { Answer } from './contract/answer.ts'
import type { Escalation } from './contract/approval.ts'
import type { Proposal } from './contract/call.ts'
import type { CredentialResolver } from './contract/credential.ts'
import type { Fact } from './contract/fact.ts'
import { Fault } from './contract/fault.ts'
import type { Hook } from './contract/hook.ts'
import type { Identity } from './contract/identity.ts'
import type { Release } from './contract/release.ts'
import type { SagaDefinition } from './contract/saga.ts'
import type { Surface } from './contract/surface.ts'
import type { Binding, Tool } from './contract/tool.ts'
import type { VerificationState } from './contract/verification.ts'
import type { ToolSource } from './define-tool.ts'
import { createDriftDesk, type DriftDesk } from './drift/pins/drift-desk.ts'
import { filePins } from './drift/pins/file-pins.ts'
import { createQuarantine } from './drift/pins/quarantine.ts'
import type { Releases } from './drift/release/release-desk.ts'
import type { VersionChoice } from './drift/versions/route.ts'
import type { Versions } from './drift/versions/version-desk.ts'
import { closeExecutors } from './execute/executors/close-executors.ts'
import { createLocks } from './execute/locks.ts'
import { knownKeys } from './identity/known-keys.ts'
import { type Clock, systemClock } from './json/clock.ts'
import { type Entropy, systemEntropy } from './json/id.ts'
import { defaultLimits, type ReadLimits } from './json/refusal.ts'
import type { JsonObject } from './json/value.ts'
import type { CallQuery, CallRecord, Ledger, Resolved } from './ledger/ledger.ts'
import { memory } from './ledger/memory/memory.ts'
import type { PinStore } from './ledger/pin-store.ts'
import type { BatchOptions } from './pipeline/batch-options.ts'
import type { BatchAnswer } from './pipeline/batch-stream.ts'
import { type CallContext, readContext } from './pipeline/call-context.ts'
import type { Deps, Policy, Progress } from './pipeline/deps.ts'
import { handle } from './pipeline/handle.ts'
import { openBatches } from './pipeline/open-batches.ts'
import { type Recovered, sweep } from './pipeline/recover.ts'
import type { Replay } from './pipeline/replay.ts'
import { replayRecord } from './pipeline/replay-record.ts'
import { createResumer, type Principals } from './pipeline/resume.ts'
import { createRunLabels } from './pipeline/run-labels.ts'
import { createSagaDesk, type Saga, type Sagas } from './pipeline/saga-desk.ts'
import { createStoredResults, type Reader, type ResultPage, type StoredResult } from './pipeline/stored-results.ts'
import { createSurfaces } from './pipeline/surfaces.ts'
import { isReadLater } from './pipeline/verification-body.ts'
import { verifyDue } from './pipeline/verify-later.ts'
import { type LimitLeft, limitsLeft } from './policy/budgets/left.ts'
import { type BudgetOptions, readBudgets } from './policy/budgets/limit.ts'
import { type CedarSet, loadCedar, refuseMisfits } from './policy/cedar/cedar-sets.ts'
import { readPermissionBook, refuseUnfit } from './policy/permission/open-permissions.ts'
import type { Permissions } from './policy/permission/permission-rule.ts'
import { onlySurface } from './surface/build-surface.ts'
import { findDeferred } from './surface/find-deferred.ts'
import type { ShownSurface } from './surface/format-surface.ts'
import type { NarrowOptions } from './surface/narrow-surface.ts'

export interface ProvisoOptions {
  /** Where calls, slots and approvals live: a ledger, or the URL of a Postgres database; in memory when none is given. */
  readonly ledger?: Ledger | string | undefined
  readonly tools?: Iterable<ToolSource>
  /** Sagas that this process goes on with; `proviso.saga()` adds to them. */
  readonly sagas?: Iterable<SagaDefinition>
  /** The tenants that exist; any other is refused. Undefined: every tenant is taken as given. */
  readonly tenants?: Iterable<string>
  /** How many calls of each kind one run may make, and limits on calls and money besides. */
  readonly budgets?: BudgetOptions
  readonly hooks?: readonly Hook[]
  /** Where the secrets come from that tools ask for; several are asked in turn. */
  readonly credentials?: CredentialResolver | readonly CredentialResolver[]
  /** Who may call what, as data: rules of the organisation, the project, the user and the run, heard in this order. */
  readonly permissions?: Permissions
  /** Policies in code, and sets of policies in Cedar. */
  readonly policies?: readonly (Policy | CedarSet)[]
  /** Of tools with several versions: which one is current, and which is tried out by some runs first. */
  readonly versions?: Readonly<Record<string, VersionChoice>>
  /** The release that every call belongs to, until another one is promoted. Whatever of it is not registered here is refused now. */
  readonly release?: Release
  /** Tools that stay visible but may not be called, each with the reason. */
  readonly blocked?: Readonly<Record<string, string>>
  /** What single tenants are offered less of: schemas by tenant and tool, each proven narrower than the tool's own. */
  readonly narrow?: NarrowOptions
  /** What people have approved of the tools of others: a store, or a file such as proviso.pins.json; kept with the ledger unless given. */
  readonly pins?: PinStore | string
  readonly limits?: Partial<ReadLimits>
  /** How often operations are looked after whose processes are gone, on a durable ledger: every second by default. */
  readonly sweepMs?: number
  /** Told what was thrown that should not have been: a lost database, a bug. Answers say only that something was. */
  readonly onFault?: (fault: unknown) => void
  /** Told of the progress that hooks report. */
  readonly onProgress?: (progress: Progress) => void
  /** Tells whose credential it is that a decision comes with. Without it, keys that are kept with the ledger or in .proviso/keys.json. */
  readonly identity?: Identity
  /** Roles and scopes of a user as they are now, for calls that a decision runs again; undefined: there is no such user any more. */
  readonly principals?: Principals
  readonly clock?: Clock
  readonly entropy?: Entropy
}

export interface Proviso {
  call(proposal: Proposal, context?: CallContext): Promise<Answer>
  /** The calls of one model step, run together as far as their tools allow; one answer each, in the order of the proposals. */
  callAll(proposals: Iterable<Proposal>, context?: CallContext, options?: BatchOptions): Promise<readonly Answer[]>
  /** The same, started at once, with every answer as soon as it may be given. Whoever stops iterating has gone away. */
  stream(
    proposals: Iterable<Proposal>,
    context?: CallContext,
    options?: BatchOptions,
  ): AsyncIterableIterator<BatchAnswer>
  /** What this context may see. Pass it back in the context of calls, and later registrations will not widen it. */
  surface(context?: CallContext, tools?: Iterable<ToolSource>): Promise<ShownSurface>
  /** Judges tools that a surface will be made of later, now: throws the Fault that registration would. */
  prepare(tools: Iterable<ToolSource>): void
  /** Loads deferred tools into a run, by name or by words of their hint. The discovery is recorded. */
  discover(words: string, context: CallContext): Promise<readonly string[]>
  /** What people decide, and what they let through standing. */
  readonly approvals: Approvals & Grants
  /** Questions to people that are open. */
  readonly escalations: { list(tenant?: string): Promise<readonly Escalation[]> }
  /** How the limits stand that calls of this context are counted by. What processes have set aside for reads counts as used. */
  readonly budgets: {
    left(context?: CallContext): Promise<readonly LimitLeft[]>
    /** Asks people for more of a limit: a packet of its own. */
    request(request: BudgetRequest, context?: CallContext): Promise<ApprovalView>
  }
  /** Reads back the effects that are due to be read, now. Gives what became of each. */
  verify(): Promise<readonly VerificationState[]>
  /** Looks after operations whose processes are gone, now. Gives what became of each. */
  recover(): Promise<readonly Recovered[]>
  /** Ordered calls with compensations and a point of no return. Known to this process from here on: it goes on with those others left. */
  saga<Input extends object = JsonObject>(definition: SagaDefinition<Input>): Saga<Input>
  readonly sagas: Sagas
  /** Several versions of one tool: promoted, tried out, rolled back and compared. */
  readonly versions: Versions
  /** Model, prompt, contracts and package, promoted and rolled back together. */
  readonly releases: Releases
  /** Results that were kept out of an observation, by the reference it gives, for a reader who may have them. */
  readonly results: {
    get(ref: string, context?: CallContext): Promise<StoredResult>
    /** A part of its text, for a tool by which a model reads on; what such a tool returns is not stored once more. */
    page(
      ref: string,
      range: { readonly from?: number; readonly length?: number },
      context?: CallContext,
    ): Promise<ResultPage>
  }
  /** Tools that others publish: what they serve now against what a person approved. */
  readonly drift: DriftDesk
  readonly calls: {
    list(query?: CallQuery): Promise<readonly CallRecord[]>
    /** With a tenant, only what belongs to it; without, as the host's own tools see it. */
    get(id: string, tenant?: string): Promise<CallRecord | undefined>
    facts(id: string, tenant?: string): Promise<readonly Fact[]>
    /** Says what became of a held operation: it happened, or it did not and may be tried again. Recorded with who said so and why. */
    resolve(id: string, resolution: ResolutionInput): Promise<Resolved & { readonly by: string }>
    /** Decides every gate of a recorded call again and reports where a verdict differs. */
    replay(id: string): Promise<readonly Replay[]>
  }
  close(): Promise<void>
}

export async function openProviso(options: ProvisoOptions = {}): Promise<Proviso> {
  // The schema room is half of the code; importing the package does not load it, opening a Proviso does.
  const [{ registerTool }, { createNarrowing }, { showSurface }, { openVersions }, { createCatalog }] =
    await Promise.all([
      import('./register-tool.ts'),
      import('./surface/narrow-surface.ts'),
      import('./surface/format-surface.ts'),
      import('./drift/versions/open-versions.ts'),
      import('./drift/versions/catalog.ts'),
    ])
  const clock = options.clock ?? systemClock
  const ledger = await openLedger(options.ledger, clock)
  const limits = { ...defaultLimits, ...options.limits }
  const tenants = options.tenants === undefined ? undefined : new Set(options.tenants)
  const blocked = new Map(Object.entries(options.blocked ?? {}).map(([name, reason]) => [name, String(reason)]))
  const runLabels = createRunLabels()
  const narrowing = createNarrowing(options.narrow)
  const pins = typeof options.pins === 'string' ? filePins(options.pins) : (options.pins ?? ledger.pins)
  const quarantine = createQuarantine({ store: pins, clock })
  const permissions = readPermissionBook(options.permissions)
  const entropy = options.entropy ?? systemEntropy
  const report = (fault: unknown) => tell(options.onFault, fault)
  /** Every contract seen: waiting calls and replays are judged by the one they began with. */
  const byHash = new Map<string, Tool>()
  /** Tools that live as long as this Proviso: a call may be run again by them without its agent. */
  const pinnable = new Map<string, Tool>()
  const prepared = new WeakMap<ToolSource, Tool>()
  /** Of every tool that was ever prepared: what their executors keep open ends with this Proviso. */
  const bindings = new Set<Binding>()
  let closed = false

  const prepare = (source: ToolSource): Tool => {
    const known = prepared.get(source)
    if (known !== undefined) return known
    const tool = registerTool(source, ledger.durability)
    refuseUnfit(tool, permissions)
    prepared.set(source, tool)
    bindings.add(tool.binding)
    byHash.set(tool.contractHash, tool)
    quarantine.watch(tool)
    return tool
  }

  const {
    catalog,
    chooser,
    desk: versionDesk,
    releases,
    registered,
  } = await openVersions({
    ledger,
    clock,
    entropy,
    report,
    tools: [...(options.tools ?? [])].map(prepare),
    choices: options.versions,
    release: options.release,
  })
  for (const tool of catalog.tools) pinnable.set(tool.contractHash, tool)

  const deps: Deps = {
    ledger,
    clock,
    entropy,
    hooks: options.hooks ?? [],
    permissions,
    policies: (options.policies ?? []).filter((policy): policy is Policy => !('cedar' in policy)),
    cedar: await loadCedar(options.policies ?? []),
    runLabels,
    narrowing,
    stored: createStoredResults(ledger, runLabels),
    budgets: readBudgets(options.budgets),
    versions: chooser,
    locks: createLocks(entropy),
    credentials: resolversOf(options.credentials),
    transactions: new Map(),
    quarantine,
    report,
    progress: (progress) => tell(options.onProgress, progress),
  }
  refuseMisfits(deps.cedar, catalog.tools)
  for (const { tenant, tool: name } of narrowing.named) {
    const family = catalog.families.get(name)
    if (family === undefined) throw new Fault('bad_options', `narrow names ${name}, but no tool has this name.`)
    for (const tool of family.tools) narrowing.tool(tenant, tool)
  }

  let saved = 0
  /** Calls are explained, and looked after, by contracts that their own process may have taken along. */
  const saveContracts = async (): Promise<void> => {
    if (byHash.size === saved) return
    saved = byHash.size
    // A contract is closed and plain by its schema: what was registered is what is kept.
    await ledger.saveContracts(
      new Map([...byHash].map(([hash, { contract }]) => [hash, contract as unknown as JsonObject])),
    )
  }
  await saveContracts()

  for (const name of blocked.keys()) {
    if (!catalog.families.has(name)) throw new Fault('bad_options', `blocked names ${name}, but no tool has this name.`)
  }

  const released = options.release !== undefined
  const surfaces = createSurfaces({ catalog, chooser, quarantine, ledger, clock, tenants, blocked, released })
  await quarantine.refresh()
  const shown = ({ tenant = 'default' }: CallContext, surface: Surface): ShownSurface =>
    showSurface(narrowing.surface(tenant, surface))

  const callOn = (proposal: Proposal, context: CallContext): Promise<Answer> => {
    return handle({ proposal, context, surface: surfaces.current, tenants, limits, byHash: pinnable, deps })
  }

  const batches = openBatches({
    surface: surfaces.current,
    deps,
    call: (proposal, context, place) =>
      handle({ proposal, context, ...place, tenants, limits, byHash: pinnable, deps }),
  })

  const { resume, resumeApproved } = createResumer({
    ledger,
    clock,
    principals: options.principals,
    hasTool: (hash) => !closed && pinnable.has(hash),
    call: callOn,
    report: deps.report,
  })

  const own = options.identity
  const people = createPeople({
    ledger,
    clock,
    entropy: deps.entropy,
    budgets: deps.budgets,
    identity: own === undefined ? knownKeys({ ledger: ledger.keys, clock }) : async () => own,
    toolNamed: versionDesk.named,
    resume,
    resumeSaga: ({ tenant, id }) => desk.engine.resume(tenant, id),
  })

  const drift = createDriftDesk({ store: pins, quarantine, clock, verify: people.verify })

  const desk = createSagaDesk({
    deps,
    tenants,
    principals: options.principals,
    find: registered,
    verify: people.verify,
    call: (input) => handle({ ...input, surface: surfaces.saga, tenants, limits, byHash: pinnable, deps }),
  })
  for (const definition of options.sagas ?? []) desk.saga(definition)

  let recovering: Promise<readonly Recovered[]> | undefined
  /** One sweep at a time; whoever asks meanwhile gets its outcome. */
  const recover = (): Promise<readonly Recovered[]> => {
    recovering ??= sweep({ deps, limits, byHash }).finally(() => {
      recovering = undefined
    })
    return recovering
  }
  let verifying: Promise<readonly VerificationState[]> | undefined
  const verify = (): Promise<readonly VerificationState[]> => {
    verifying ??= verifyDue({ deps, limits, byHash }).finally(() => {
      verifying = undefined
    })
    return verifying
  }
  let sweeping: ReturnType<typeof setInterval> | undefined
  const isDurable = ledger.durability === 'durable'
  // A sweep that fails is reported, and followed by the next: the ledger may have come back by then.
  const sweepAll = () =>
    Promise.all([verify(), ...(isDurable ? [recover(), resumeApproved(), desk.engine.sweep()] : [])]).catch(deps.report)
  /** In memory only effects that are read back later have to be looked after. */
  const startSweeping = () => {
    if (sweeping !== undefined || !(isDurable || [...byHash.values()].some(isReadLater))) return
    sweeping = setInterval(() => void sweepAll(), options.sweepMs ?? 1_000).unref()
  }
  startSweeping()

  return {
    async call(proposal, context = {}) {
      if (closed) throw new Fault('closed', 'This Proviso is closed; open another one.')
      return callOn(proposal, context)
    },
    async callAll(proposals, context = {}, options = {}) {
      if (closed) throw new Fault('closed', 'This Proviso is closed; open another one.')
      return batches.callAll(proposals, context, options)
    },
    stream(proposals, context = {}, options = {}) {
      if (closed) throw new Fault('closed', 'This Proviso is closed; open another one.')
      return batches.stream(proposals, context, options)
    },
    async surface(context = {}, tools) {
      if (tools !== undefined) {
        const prepared = createCatalog([...tools].map(prepare))
        startSweeping()
        await saveContracts()
        await quarantine.refresh()
        return shown(readContext(context), await surfaces.from(prepared, readContext(context)))
      }
      return shown(readContext(context), await surfaces.current(readContext(context)))
    },
    prepare(tools) {
      for (const source of tools) prepare(source)
      startSweeping()
    },
    async discover(words, context) {
      if (context.run === undefined) throw new Fault('bad_options', 'A discovery belongs to a run; name it.')
      const found = findDeferred(words, versionDesk.current())
      await ledger.discover(context.tenant ?? 'default', context.run, found)
      return found
    },
    approvals: people.approvals,
    escalations: { list: async (tenant) => ledger.escalations(tenant) },
    budgets: {
      left: (context = {}) =>
        limitsLeft(ledger, deps.budgets, versionDesk.current(), {
          tenant: context.tenant ?? 'default',
          run: context.run,
          user: context.user,
        }),
      async request(request, context = {}) {
        const asker = readContext(context)
        if (tenants !== undefined && !tenants.has(asker.tenant ?? 'default'))
          throw new Fault('bad_options', 'This tenant is not known here.')
        return people.requestBudget(request, asker)
      },
    },
    saga: desk.saga,
    sagas: desk.sagas,
    versions: versionDesk.versions,
    releases,
    drift,
    results: {
      get: async (ref, context) => deps.stored.get(ref, readerOf(context)),
      page: async (ref, range, context) => deps.stored.page(ref, range, readerOf(context)),
    },
    calls: {
      list: async (query = {}) => ledger.calls(query),
      get: async (id, tenant) => ledger.call(id, tenant),
      facts: async (id, tenant) => ledger.facts(id, tenant),
      resolve: people.resolve,
      async replay(id) {
        const record = await ledger.call(id)
        if (record === undefined) throw new Fault('unknown_call', `There is no call ${id.slice(0, 64)}.`)
        const tool = byHash.get(record.contractHash)
        if (tool === undefined && record.contractHash !== '') {
          throw new Fault('unknown_call', 'The contract of this call is not registered here.')
        }
        // A call that found no tool is decided again on what is registered now.
        const surface = tool === undefined ? surfaces.now({}) : onlySurface(narrowing.tool(record.key.tenant, tool))
        return replayRecord(record, await surface, await ledger.facts(id), { deps, limits, tenants, byHash })
      },
    },
    verify,
    async recover() {
      const outcomes = await recover()
      await desk.engine.sweep()
      return outcomes
    },
    async close() {
      closed = true
      clearInterval(sweeping)
      await desk.engine.close()
      // Batches that nobody waits for any more still come to their end, and on record.
      await batches.ended()
      await recovering?.catch(() => undefined)
      await verifying?.catch(() => undefined)
      await closeExecutors(bindings, deps.report)
      await ledger.close()
    },
  }
}

function resolversOf(given: ProvisoOptions['credentials']): readonly CredentialResolver[] {
  if (given === undefined) return []
  return 'resolve' in given ? [given] : given
}

/** A context that cannot be read belongs to no tenant, and so has no results. */
function readerOf(given: CallContext = {}): Reader {
  const { tenant = 'default', user, run, roles = [], scopes = [], badName } = readContext(given)
  return { tenant: badName === undefined ? tenant : '', user, run, roles, scopes }
}

async function openLedger(given: ProvisoOptions['ledger'], clock: Clock): Promise<Ledger> {
  if (given === undefined || given === '') return memory({ clock })
  if (typeof given !== 'string') return given
  const { postgres } = await import('./ledger/postgres/postgres.ts')
  return postgres(given)
}

/** Whoever listens cannot make it worse. */
function tell<T>(listener: ((told: T) => void) | undefined, told: T): void {
  try {
    listener?.(told)
  } catch {
    // Theirs to know.
  }
}
