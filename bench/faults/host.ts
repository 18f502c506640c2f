// One process with Proviso in it, as a server that runs tools is one: its own connections, its own clock, its points watched.
import { type Answer, type Clock, type EpochMs, openProviso, type Proviso, type SagaView } from '../../src/index.ts'
import { toolUrlOf } from '../../src/ledger/embedded/settings.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { PostgresOptions } from '../../src/ledger/postgres/options.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { people } from './people.ts'
import { type PlantName, plantIn } from './plants.ts'
import { recordLedger } from './recorded-ledger.ts'
import { type SagaSpec, sagaDefinition, sagaName } from './saga-spec.ts'
import { makeTool, type Order, type ToolSpec } from './tool-spec.ts'
import type { TripWire } from './trip-wire.ts'
import { watchLedger } from './watched-ledger.ts'
import { openWorld } from './world.ts'

export interface HostOptions {
  readonly url: string
  /** The folder of the world. */
  readonly world: string
  readonly tools: readonly ToolSpec[]
  /** Sagas that this process knows. */
  readonly sagas?: readonly SagaSpec[]
  readonly leaseMs?: number
  /** Undefined: this process sweeps only when told to. */
  readonly sweepMs?: number
  readonly patienceMs?: number
  readonly connections?: number
  /** How far this machine's clock is off. */
  readonly clockShiftMs?: number
  /** How far the database's clock is off, as the connections of this process see it. */
  readonly databaseShiftMs?: number
  /** Whether this process orders the transparency log; one that does is enough, and a process under test has its own points only. */
  readonly sequences?: boolean
  readonly plant?: PlantName
}

export interface CallOrder {
  readonly tool: string
  readonly order: Order
  readonly callId: string
}

export interface SagaOrder {
  readonly name: string
  readonly op: string
}

/** Of an answer, what the judge holds it to. */
export interface Told {
  readonly effect: Answer['effect']
  readonly class: string
  readonly reason: string | undefined
  readonly call: string
  readonly approval: string | undefined
  readonly retryable: boolean
  readonly recorded: boolean
  /** The tool's own result. */
  readonly id: string | undefined
}

export interface Host {
  readonly proviso: Proviso
  call(order: CallOrder): Promise<Told>
  /** Begins a saga, or finds the one that was begun for this operation. */
  saga(order: SagaOrder): Promise<SagaView>
}

/** Short, so that recovery comes soon; long enough for a process that has to share its processor. */
const defaultLeaseMs = 700
const never = 2_000_000_000

export async function openHost(options: HostOptions, wire: TripWire): Promise<Host> {
  const world = openWorld(options.world)
  const ledger = await postgres(options.url, {
    toolUrl: toolUrlOf(options.url),
    leaseMs: options.leaseMs ?? defaultLeaseMs,
    patienceMs: options.patienceMs ?? 10_000,
    connections: options.connections ?? 3,
    log: { sequence: options.sequences ?? false },
    ...shifted(options.databaseShiftMs),
  })
  const proviso = await openProvisoOn(
    watchLedger(recordLedger(plantIn(ledger, options.plant), options.world, options.tools), wire),
    {
      tools: options.tools.map((spec) => makeTool(spec, world, wire)),
      sweepMs: options.sweepMs ?? never,
      clock: clockOff(options.clockShiftMs ?? 0),
    },
  )
  return hostOf(proviso, options.sagas)
}

export function openProvisoOn(
  ledger: Ledger,
  more: Pick<NonNullable<Parameters<typeof openProviso>[0]>, 'tools' | 'sweepMs' | 'clock'>,
): Promise<Proviso> {
  const plenty = 1_000_000
  return openProviso({
    ...more,
    ledger,
    identity: people,
    // Where a measurement is run as root, its programs are another user.
    programs: { users: { acme: 200_001 } },
    budgets: { write: plenty, external: plenty, critical: plenty },
  })
}

export function hostOf(proviso: Proviso, specs: readonly SagaSpec[] = []): Host {
  const sagas = new Map(specs.map((spec) => [sagaName(spec), proviso.saga(sagaDefinition(spec))]))
  return {
    proviso,
    async saga({ name, op }) {
      const saga = sagas.get(name)
      if (saga === undefined) throw new Error(`There is no saga ${name}.`)
      return saga.start({ op }, { tenant: 'acme', user: 'ann', run: op, operationId: op })
    },
    // Every operation is in a run of its own, which is how the judge finds all that belongs to it.
    call: async ({ tool, order, callId }) =>
      toldBy(
        await proviso.call(
          { tool, arguments: JSON.stringify(order), callId },
          { tenant: 'acme', user: 'ann', run: order.id },
        ),
      ),
  }
}

function toldBy({ effect, observation, approval, value }: Answer): Told {
  const { status, tool_identity, result_payload } = observation
  const reason = result_payload.errors[0]?.code
  const unrecorded =
    reason === 'not_recorded' ||
    reason === 'dependency_unavailable' ||
    result_payload.warnings.some((warning) => warning.startsWith('not_recorded'))
  const id = typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : undefined
  return {
    effect,
    class: status.taxonomy_class,
    reason,
    call: tool_identity.call_id,
    approval: approval?.id,
    retryable: status.retryable,
    recorded: !unrecorded,
    id,
  }
}

const shifted = (ms: number | undefined): PostgresOptions =>
  ms === undefined ? {} : { driver: { options: `-c proviso.clock_offset_ms=${ms}` } }

const clockOff = (ms: number): Clock => ({
  now: () => (Date.now() + ms) as EpochMs,
  monotonic: () => performance.now(),
})
