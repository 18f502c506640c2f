// Processes within this one, for random scenarios: each has Proviso on the same ledger, and can be lost at a point. What is lost never
// goes on, and its connections end, as those of a killed process do. Time passes only when told to.
import type { Fact } from '../../src/contract/call/fact.ts'
import { manualClock } from '../../src/json/clock.ts'
import { toolUrlOf } from '../../src/ledger/embedded/settings.ts'
import { memory } from '../../src/ledger/index.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Host, hostOf, openProvisoOn, type Told } from './host.ts'
import { resolve } from './people.ts'
import { perform } from './perform.ts'
import { recordLedger } from './recorded-ledger.ts'
import type { Site } from './site.ts'
import { makeTool, type Order, type ToolSpec } from './tool-spec.ts'
import { createTripWire, type TripWire } from './trip-wire.ts'
import { watchLedger } from './watched-ledger.ts'

export interface RandomBench {
  readonly canCrash: boolean
  call(spec: ToolSpec, order: Order, callId: string): Promise<Told | undefined>
  /** The same in a process that is lost at this point, if it comes to it. */
  crash(spec: ToolSpec, order: Order, callId: string, label: string): Promise<Told | undefined>
  /** Leases run out, and the processes that are left look what became of them. */
  recover(): Promise<void>
  /** A person says what the world shows. */
  resolve(op: string): Promise<void>
  fired(op: string): Promise<number>
  facts(op: string): Promise<ReadonlyMap<string, readonly Fact[]>>
  /** What is neither over nor asked about. */
  stuck(op: string): Promise<readonly string[]>
  close(): Promise<void>
}

interface Process extends Host {
  readonly wire: TripWire
  leave(lost: boolean): Promise<void>
}

const leaseMs = 60_000
const tenant = 'acme'
let processes = 0

/** On Postgres, or in memory where there is no site: then nothing can be lost but the answers of tools. */
export async function openRandomBench(
  tools: readonly ToolSpec[],
  place: Site | { readonly world: Site['world'] },
): Promise<RandomBench> {
  const site = 'query' in place ? place : undefined
  const clock = manualClock()
  const inMemory = site === undefined ? memory({ clock }) : undefined
  let shiftMs = 0

  const start = async (): Promise<Process> => {
    const wire = createTripWire()
    const name = `process-${++processes}`
    const ledger = inMemory ?? recordLedger(await openLedger(site as Site, shiftMs, name), (site as Site).folder, tools)
    const proviso = await openProvisoOn(watchLedger(ledger, wire), {
      tools: tools.map((spec) => makeTool(spec, place.world, wire)),
      sweepMs: 2_000_000_000,
    })
    return {
      ...hostOf(proviso),
      wire,
      async leave(lost) {
        if (inMemory !== undefined) return
        const left = proviso.close().catch(() => undefined)
        if (!lost) return left
        await site?.query('select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name = $1', [
          name,
        ])
      },
    }
  }

  let current = await start()
  const run = async (process: Process, spec: ToolSpec, order: Order, callId: string) => {
    const told = await perform(process, { tool: spec.name, order, callId }, current.proviso)
    const last = told.at(-1)
    return last === 'gone' ? undefined : last
  }
  const fired = async (op: string) => (site === undefined ? place.world.fired(op) : site.fired(op))
  const callsOf = (op: string) => current.proviso.calls.list({ tenant, run: op, limit: 1_000 })

  return {
    canCrash: inMemory === undefined,
    call: (spec, order, callId) => run(current, spec, order, callId),
    async crash(spec, order, callId, label) {
      const process = await start()
      process.wire.arm(label, 'hang')
      const running = run(process, spec, order, callId)
      const told = await Promise.race([running, process.wire.lost])
      await process.leave(process.wire.tripped)
      return told
    },
    async recover() {
      // More than any clock steps by: a process that has just begun believes it.
      shiftMs += 2 * leaseMs + 600_000
      const next = await start()
      await current.leave(false)
      current = next
      while ((await current.proviso.recover()).length > 0);
    },
    async resolve(op) {
      const effect = (await fired(op)) > 0 ? 'happened' : 'none'
      for (const { id } of await callsOf(op)) {
        await resolve(current.proviso, id, effect, tenant)
      }
    },
    fired,
    async facts(op) {
      const calls = await callsOf(op)
      return new Map(
        await Promise.all(calls.map(async ({ id }) => [id, await current.proviso.calls.facts(id)] as const)),
      )
    },
    async stuck(op) {
      const asked = new Set((await current.proviso.escalations.list(tenant)).map(({ callId }) => callId))
      const open = (await callsOf(op)).filter(
        ({ id, effect, status }) => status === 'RUNNING' && effect === 'unknown' && !asked.has(id),
      )
      return open.map(({ id, status }) => `${id} stays ${status}`)
    },
    close: () => current.leave(false),
  }
}

function openLedger(site: Site, shiftMs: number, name: string): Promise<Ledger> {
  const driver = { application_name: name, options: `-c proviso.clock_offset_ms=${shiftMs}` }
  return postgres(site.url, { toolUrl: toolUrlOf(site.url), leaseMs, connections: 3, driver, log: { sequence: false } })
}
