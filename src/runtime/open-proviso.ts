// Wires the rooms: registers tools, opens the ledger, and runs proposals through the pipeline. call() always returns an answer.
import { createPeople } from '../approval/people.ts'
import type { Answer } from '../contract/call/answer.ts'
import { Fault } from '../contract/fault.ts'
import type { CredentialResolver } from '../contract/tool/credential.ts'
import type { Surface } from '../contract/tool/surface.ts'
import { createDriftDesk } from '../drift/pins/drift-desk.ts'
import { filePins } from '../drift/pins/file-pins.ts'
import { createQuarantine } from '../drift/pins/quarantine.ts'
import type { ProgramUsers } from '../execute/executors/process/program-users.ts'
import { createLocks } from '../execute/schedule/locks.ts'
import { knownKeys } from '../identity/check-key.ts'
import { type Clock, systemClock } from '../json/clock.ts'
import { systemEntropy } from '../json/id.ts'
import { defaultLimits } from '../json/refusal.ts'
import { memory } from '../ledger/memory/memory.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import { openBatches } from '../pipeline/batch/open-batches.ts'
import { type CallContext, readContext, readName } from '../pipeline/call/call-context.ts'
import { createRepairBook } from '../pipeline/call/repairs.ts'
import { createRunLabels } from '../pipeline/call/run-labels.ts'
import type { Deps, HostPolicy } from '../pipeline/deps.ts'
import { type HandleInput, handle } from '../pipeline/handle.ts'
import { createResumer } from '../pipeline/later/resume-calls.ts'
import { createSagaDesk } from '../pipeline/later/saga-desk.ts'
import { createSweeps } from '../pipeline/later/sweeps.ts'
import { replayRecord } from '../pipeline/record/replay.ts'
import { createStoredResults, type Reader } from '../pipeline/record/stored-results.ts'
import { limitsLeft } from '../policy/budgets/left.ts'
import { type Budgets, readBudgets } from '../policy/budgets/limit.ts'
import { loadCedar, refuseMisfits } from '../policy/cedar/cedar-sets.ts'
import { type PermissionBook, readPermissionBook, refuseUnfit } from '../policy/permission/permission-book.ts'
import { findDeferred, onlySurface } from '../surface/build-surface.ts'
import type { ShownSurface } from '../surface/format-surface.ts'
import { createDoor } from './door.ts'
import { examineTools } from './examine-tools.ts'
import { createPreparedTools } from './prepared-tools.ts'
import type { Proviso, ProvisoOptions } from './proviso.ts'
import { checkProvisoOptions } from './proviso-options.ts'
import { checkQuery } from './query-options.ts'
import { createSurfaces } from './surfaces.ts'

export async function openProviso(options: ProvisoOptions = {}): Promise<Proviso> {
  checkProvisoOptions(options)
  const clock = options.clock ?? systemClock
  const [budgets, permissions] = [readBudgets(options.budgets), readPermissionBook(options.permissions)]
  const { ledger, isOwn } = await openLedger(options.ledger, clock)
  try {
    return await openOn({ ledger, clock, budgets, permissions }, options)
  } catch (error) {
    // What was opened for this Proviso alone is not left open without it.
    if (isOwn) await ledger.close()
    throw error
  }
}

interface Opened {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly budgets: Budgets
  readonly permissions: PermissionBook
}

async function openOn({ ledger, clock, budgets, permissions }: Opened, options: ProvisoOptions): Promise<Proviso> {
  // The schema room is half of the code; importing the package does not load it, opening a Proviso does.
  const [{ registerTool }, { createNarrowing }, { showSurface }, { openVersions }, { createCatalog }] =
    await Promise.all([
      import('./register-tool.ts'),
      import('../surface/narrow-surface.ts'),
      import('../surface/format-surface.ts'),
      import('../drift/versions/open-versions.ts'),
      import('../drift/versions/catalog.ts'),
    ])
  const programs = await programUsersOf(options)
  const limits = { ...defaultLimits, ...options.limits }
  const tenants = options.tenants === undefined ? undefined : new Set(options.tenants)
  for (const tenant of tenants ?? []) if (readName(tenant) !== tenant) throw new Fault('bad_options', badTenant)
  const blocked = new Map(Object.entries(options.blocked ?? {}).map(([name, reason]) => [name, String(reason)]))
  const runLabels = createRunLabels()
  const narrowing = createNarrowing(options.narrow)
  const pins = typeof options.pins === 'string' ? filePins(options.pins) : (options.pins ?? ledger.pins)
  const quarantine = createQuarantine({ store: pins, clock })
  const entropy = options.entropy ?? systemEntropy
  const report = (fault: unknown) => tell(options.onFault, fault)
  const tools = createPreparedTools({
    ledger,
    report,
    register(source) {
      const tool = registerTool(source, {
        ledger: ledger.durability,
        programUsers: programs.isMissing ? 'missing' : 'there',
      })
      refuseUnfit(tool, permissions)
      quarantine.watch(tool)
      return tool
    },
  })
  const { byHash, prepare } = tools
  const door = createDoor()
  const own = [...(options.tools ?? [])].map(prepare)
  await examineTools(own, ledger)

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
    tools: own,
    choices: options.versions,
    release: options.release,
  })
  /** Tools that live as long as this Proviso: a call may be run again by them without its agent. */
  const pinnable = new Map(catalog.tools.map((tool) => [tool.contractHash, tool]))

  const deps: Deps = {
    ledger,
    clock,
    entropy,
    hooks: options.hooks ?? [],
    permissions,
    policies: (options.policies ?? []).filter((policy): policy is HostPolicy => !('cedar' in policy)),
    cedar: await loadCedar(options.policies ?? []),
    runLabels,
    narrowing,
    stored: createStoredResults(ledger, runLabels),
    budgets,
    repairs: createRepairBook(ledger.repairs, { maxRepairs: options.maxRepairs, report }),
    versions: chooser,
    locks: createLocks(entropy),
    credentials: resolversOf(options.credentials),
    transactions: new Map(),
    programUsers: programs.users,
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

  await tools.save()

  for (const name of blocked.keys()) {
    if (!catalog.families.has(name)) throw new Fault('bad_options', `blocked names ${name}, but no tool has this name.`)
  }

  const released = options.release !== undefined
  const surfaces = createSurfaces({ catalog, chooser, quarantine, ledger, clock, tenants, blocked, released, report })
  await quarantine.refresh()
  const shown = ({ tenant = 'default' }: CallContext, surface: Surface): ShownSurface =>
    showSurface(narrowing.surface(tenant, surface))

  const opening = { surface: surfaces.current, tenants, limits, byHash: pinnable, deps }
  const handled = (input: HandleInput): Promise<Answer> => door.track(handle(input))

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
    hasTool: (hash) => !door.isClosed && pinnable.has(hash),
    call: (proposal, context, recorded) => handled({ proposal, context, ...opening, recorded }),
    report: deps.report,
  })

  const ownIdentity = options.identity
  const people = createPeople({
    ledger,
    clock,
    entropy: deps.entropy,
    budgets: deps.budgets,
    identity: ownIdentity === undefined ? knownKeys({ ledger: ledger.keys, clock }) : async () => ownIdentity,
    tenants,
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

  const sweeps = createSweeps({
    deps,
    limits,
    byHash,
    everyMs: options.sweepMs ?? 1_000,
    resumeApproved,
    sweepSagas: () => desk.engine.sweep(),
    resumeSaga: ({ tenant, id }) => desk.engine.resume(tenant, id),
  })
  sweeps.start()

  let closing: Promise<void> | undefined
  const close = async () => {
    const allEnded = door.close()
    sweeps.stop()
    await desk.engine.close()
    // What is waited for no more still comes to its end, and on record.
    await allEnded
    await batches.ended()
    await sweeps.ended()
    await deps.repairs.idle()
    await tools.close()
    await ledger.close()
  }

  const asked: Omit<Proviso, 'call' | 'stream' | 'prepare' | 'saga' | 'close'> = {
    callAll: async (proposals, context = {}, options = {}) => batches.callAll(proposals, context, options),
    async surface(given = {}, sources) {
      const context = checkedContext(given, tenants)
      if (sources === undefined) return shown(context, await surfaces.current(context))
      const prepared = [...sources].map(prepare)
      await examineTools(prepared, ledger)
      const own = createCatalog(prepared)
      sweeps.start()
      await tools.save()
      await quarantine.refresh()
      return shown(context, await surfaces.from(own, context))
    },
    async discover(words, given) {
      const { tenant = 'default', run } = checkedContext(given, tenants)
      if (run === undefined) throw new Fault('bad_options', 'A discovery belongs to a run; name it.')
      const found = findDeferred(words, versionDesk.current())
      await ledger.runs.discover(tenant, run, found)
      return found
    },
    approvals: {
      ...people.approvals,
      list: async (query = {}) => people.approvals.list(checkQuery('approvals.list', query)),
      grants: async (query = {}) => people.approvals.grants(checkQuery('approvals.grants', query)),
    },
    escalations: { list: async (tenant) => ledger.calls.escalations(tenant) },
    budgets: {
      async left(given = {}) {
        const { tenant = 'default', run, user } = checkedContext(given, tenants)
        return limitsLeft(ledger, deps.budgets, versionDesk.current(), { tenant, run, user })
      },
      async request(request, context = {}) {
        return people.requestBudget(request, checkedContext(context, tenants))
      },
    },
    sagas: { ...desk.sagas, list: async (query = {}) => desk.sagas.list(checkQuery('sagas.list', query)) },
    versions: versionDesk.versions,
    releases,
    drift,
    results: {
      get: async (ref, context) => deps.stored.get(ref, readerOf(context)),
      page: async (ref, range, context) => deps.stored.page(ref, checkQuery('results.page', range), readerOf(context)),
    },
    calls: {
      list: async (query = {}) => ledger.calls.list(checkQuery('calls.list', query)),
      get: async (id, tenant) => ledger.calls.get(id, tenant),
      facts: async (id, tenant) => ledger.calls.facts(id, tenant),
      resolve: people.resolve,
      async replay(id) {
        const record = await ledger.calls.get(id)
        if (record === undefined) throw new Fault('unknown_call', `There is no call ${id.slice(0, 64)}.`)
        const tool = byHash.get(record.contractHash)
        if (tool === undefined && record.contractHash !== '') {
          throw new Fault('unknown_call', 'The contract of this call is not registered here.')
        }
        // A call that found no tool is decided again on what is registered now.
        const surface = tool === undefined ? surfaces.now({}) : onlySurface(narrowing.tool(record.key.tenant, tool))
        return replayRecord(record, await surface, await ledger.calls.facts(id), { deps, limits, tenants, byHash })
      },
    },
    verify: sweeps.verify,
    recover: sweeps.recover,
  }

  return {
    ...door.guard(asked),
    async call(proposal, context = {}) {
      door.check()
      return handled({ proposal, context, ...opening })
    },
    stream(proposals, context = {}, options = {}) {
      door.check()
      return batches.stream(proposals, context, options)
    },
    prepare(sources) {
      door.check()
      for (const source of sources) prepare(source)
      sweeps.start()
    },
    saga(definition) {
      door.check()
      return door.guard(desk.saga(definition))
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

const badTenant = 'openProviso: tenants has an item that is no name. Give texts, none of them empty.'

function resolversOf(given: ProvisoOptions['credentials']): readonly CredentialResolver[] {
  if (given === undefined) return []
  return 'resolve' in given ? [given] : given
}

/** A call is answered that its context cannot be read; what else is asked is refused. */
function checkedContext(given: CallContext, tenants: ReadonlySet<string> | undefined): CallContext {
  const { badContext, ...context } = readContext(given)
  if (badContext !== undefined) throw new Fault('bad_options', `The context cannot be read: ${badContext}`)
  const { tenant = 'default' } = context
  if (tenant === '' || tenants?.has(tenant) === false) throw new Fault('bad_options', 'This tenant is not known here.')
  return context
}

/** A context that cannot be read belongs to no tenant, and so has no results. */
function readerOf(given: CallContext = {}): Reader {
  const { tenant = 'default', user, run, roles = [], scopes = [], badContext } = readContext(given)
  return { tenant: badContext === undefined ? tenant : '', user, run, roles, scopes }
}

interface OpenLedger {
  readonly ledger: Ledger
  /** It was opened here. */
  readonly isOwn: boolean
}

async function openLedger(given: ProvisoOptions['ledger'], clock: Clock): Promise<OpenLedger> {
  if (given === undefined) return { ledger: memory({ clock }), isOwn: true }
  if (typeof given !== 'string') return { ledger: given, isOwn: false }
  const { postgres } = await import('../ledger/postgres/postgres.ts')
  return { ledger: await postgres(given), isOwn: true }
}

/** Where they are not named nothing is loaded: most have no programs. */
async function programUsersOf({ programs }: ProvisoOptions): Promise<ProgramUsers> {
  if (programs === undefined) return { users: new Map(), isMissing: process.geteuid?.() === 0 }
  const { openProgramUsers } = await import('../execute/executors/process/program-users.ts')
  return openProgramUsers(programs)
}

/** A listener that throws changes nothing. */
function tell<T>(listener: ((told: T) => void) | undefined, told: T): void {
  try {
    listener?.(told)
  } catch {
    // Theirs to know.
  }
}
