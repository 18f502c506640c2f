// The surfaces of one process: for each context its versions, its principal's tools and what is held back. One snapshot serves all calls
// that get the same versions, where nothing else depends on who asks or when.
import { claimOf } from '../contract/release/release.ts'
import type { Awaitable } from '../contract/tool/executor.ts'
import type { Surface } from '../contract/tool/surface.ts'
import type { Tool } from '../contract/tool/tool.ts'
import type { Quarantine } from '../drift/pins/quarantine.ts'
import type { Catalog } from '../drift/versions/catalog.ts'
import { type Chooser, type Chosen, soleVersions } from '../drift/versions/choose.ts'
import type { Clock } from '../json/clock.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import type { CallContext } from '../pipeline/call/call-context.ts'
import { buildSurface } from '../surface/build-surface.ts'

export interface SurfacesInput {
  readonly catalog: Catalog
  readonly chooser: Chooser
  readonly quarantine: Quarantine
  readonly ledger: Pick<Ledger, 'runs'>
  readonly clock: Clock
  readonly tenants: ReadonlySet<string> | undefined
  readonly blocked: ReadonlyMap<string, string>
  /** Whether every call belongs to a release, also one that names none. */
  readonly released: boolean
  readonly report: (fault: unknown) => void
}

export interface Surfaces {
  /** As far as is known here. */
  now(context: CallContext): Awaitable<Surface>
  /** With what people have approved meanwhile of the tools that are held. */
  current(context: CallContext): Awaitable<Surface>
  /** Of other tools than the registered ones. */
  from(tools: Catalog, context: CallContext): Promise<Surface>
  /** Who wrote a saga has looked for its tools: deferred ones are loaded. */
  saga(context: CallContext): Promise<Surface>
}

export function createSurfaces(input: SurfacesInput): Surfaces {
  const { catalog, chooser, quarantine, ledger, clock, tenants, blocked, released, report } = input

  const surfaceOf = (context: CallContext, { tools, routes }: Chosen, discovered: ReadonlySet<string>): Surface => {
    const { user, agent, roles = [], scopes = [] } = context
    const principal = { user, roles, scopes, agent }
    return buildSurface({
      tools,
      routes,
      principal,
      discovered,
      blocked,
      quarantine: quarantine.noteOf,
      now: clock.now(),
    })
  }

  /** The versions that this context gets, where there is a choice. A tenant that is not known leaves no trace. */
  const chosenFor = (tools: Catalog, context: CallContext): Awaitable<Chosen> => {
    const { tenant = 'default', run, release, model, promptHash } = context
    if (!tools.chooses && release === undefined && !released) return soleVersions(tools)
    const who = { tenant, run: (tenants?.has(tenant) ?? tenant !== '') ? run : undefined }
    return chooser.choose(tools, who, claimOf({ release, model, promptHash }))
  }

  const from = async (tools: Catalog, context: CallContext): Promise<Surface> => {
    const { tenant = 'default', run } = context
    const chosen = await chosenFor(tools, context)
    return surfaceOf(context, chosen, run === undefined ? new Set() : await ledger.runs.discovered(tenant, run))
  }

  // Where tools depend on nothing but their versions, contexts that get the same versions share one snapshot.
  const fixed = catalog.tools.every(isSameForAll)
  const shared = new Map<string, Surface>()
  let changes = -1
  const sharedSurface = (chosen: Chosen): Surface => {
    // A tool of others was quarantined or let go.
    if (changes !== quarantine.changes || shared.size >= maxShared) shared.clear()
    changes = quarantine.changes
    const key = chosen.routes.size === 0 ? '' : keyOf(chosen)
    const known = shared.get(key)
    if (known !== undefined) return known
    const surface = surfaceOf({}, chosen, new Set())
    shared.set(key, surface)
    return surface
  }

  const now = (context: CallContext): Awaitable<Surface> => {
    if (!fixed) return from(catalog, context)
    const chosen = chosenFor(catalog, context)
    return chosen instanceof Promise ? chosen.then(sharedSurface) : sharedSurface(chosen)
  }
  return {
    now,
    from,
    current(context) {
      // Where pins cannot be read, what is held stays held, and the others have nothing to do with it.
      const refreshing = quarantine.refresh()?.catch(report)
      return refreshing === undefined ? now(context) : refreshing.then(() => now(context))
    },
    saga: async (context) =>
      fixed ? now(context) : surfaceOf(context, await chosenFor(catalog, context), new Set(catalog.families.keys())),
  }
}

/** More combinations of versions than runs are likely to get at once. */
const maxShared = 256

const keyOf = ({ tools, routes }: Chosen) =>
  JSON.stringify(
    tools.flatMap(({ contract, contractHash }) => {
      const route = routes.get(contract.identity.name)
      return route === undefined ? [] : [[contractHash, route]]
    }),
  )

const isSameForAll = ({ contract, binding }: Tool) =>
  !binding.deferred && binding.roles === undefined && contract.identity.lifecycle.sunset_date === null
