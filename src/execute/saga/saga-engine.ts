// The engine: begins sagas, takes up those whose owners are gone or whose waits are over, and drives each as far as it goes. Any number of
// processes may run one; the epoch of a saga says whose it is.
import { Fault } from '../../contract/fault.ts'
import type { SagaContext, SagaDefinition, SagaRecord } from '../../contract/saga/saga.ts'
import { canonicalize } from '../../json/canonical.ts'
import type { JsonObject } from '../../json/value.ts'
import { driveSaga } from './drive-saga.ts'
import type { JournalLine } from './fold-journal.ts'
import { freezeOrphan } from './freeze-orphan.ts'
import { nextMove, renderStep } from './next-move.ts'
import { type FindTool, type PreparedSaga, prepareSaga } from './prepared-saga.ts'
import { sagaProblems } from './saga-contradictions.ts'
import type { SagaPorts } from './saga-ports.ts'

export interface SagaBeginning {
  readonly id: string
  readonly tenant: string
  /** Whether the id comes of an operation, and may have been used before. */
  readonly isNamed: boolean
  readonly input: JsonObject
  readonly context: SagaContext
}

export interface SagaEngine {
  /** Refuses contradictions by name; the saga is known to this engine from here on. */
  register(definition: SagaDefinition, find: FindTool): PreparedSaga
  /** Begins it, and drives it until it is over or waits. One that was begun under this id is left to its owner. */
  begin(prepared: PreparedSaga, beginning: SagaBeginning): Promise<void>
  /** Takes this one up, if it is due. */
  resume(tenant: string, id: string): Promise<void>
  /** Takes up every saga that is due, and ends when all of them rest. A saga whose definition no process knows is frozen, and people are asked. */
  sweep(): Promise<void>
  close(): Promise<void>
}

const claimLimit = 32
/** No more than this are claimed at once; the others are left to other processes, or for later. */
const mostDriven = 256

/** A saga whose definition no process knows is given to any process after this time, to be frozen: longer than a deploy takes. */
const orphanMs = 3_600_000
/** A process that has just begun may be about to register the definition. */
const youngMs = 60_000

export function createSagaEngine(ports: SagaPorts): SagaEngine {
  const { store, report } = ports
  const known = new Map<string, PreparedSaga>()
  const driving = new Map<string, Promise<void>>()
  let claiming: Promise<readonly Promise<void>[]> | undefined
  let closing = false
  const openedAt = ports.clock.monotonic()

  const keyOf = ({ tenant, id }: { readonly tenant: string; readonly id: string }) => JSON.stringify([tenant, id])

  const drive = (saga: SagaRecord, prepared: PreparedSaga, resumed: boolean, journal?: readonly JournalLine[]) => {
    const key = keyOf(saga)
    const walk = driveSaga({
      saga,
      prepared,
      resumed,
      ports,
      isClosing: () => closing,
      ...(journal === undefined ? {} : { journal }),
    })
      .then((dueMs) => {
        if (dueMs !== undefined && !closing) ports.later(dueMs, () => void resume(saga.tenant, saga.id).catch(report))
      })
      // Its lease runs out, and the next owner reads the journal.
      .catch(report)
      .finally(() => {
        if (driving.get(key) === walk) driving.delete(key)
      })
    driving.set(key, walk)
    return walk
  }

  const claim = async (only?: { readonly tenant: string; readonly id: string }): Promise<readonly Promise<void>[]> => {
    if (closing) return []
    const takesOrphans = only === undefined && ports.clock.monotonic() - openedAt >= youngMs
    const begun: Promise<void>[] = []
    while (driving.size < mostDriven || only !== undefined) {
      const claimed = await store.claim({
        definitions: [...known.keys()],
        limit: claimLimit,
        forMs: store.leaseMs,
        ...(only === undefined ? {} : { only }),
        ...(takesOrphans ? { orphanMs } : {}),
      })
      for (const saga of claimed) {
        const prepared = known.get(saga.definition)
        if (prepared !== undefined) begun.push(drive(saga, prepared, true))
      }
      // Where it fails, its lease runs out, and it is an orphan once more.
      for (const saga of claimed) if (!known.has(saga.definition)) await freezeOrphan(saga, ports).catch(report)
      if (claimed.length < claimLimit || only !== undefined) break
    }
    return begun
  }

  const resume = async (tenant: string, id: string): Promise<void> => {
    const own = driving.get(keyOf({ tenant, id }))
    if (own !== undefined) await own
    await Promise.all(await claim({ tenant, id }))
  }

  return {
    register(definition, find) {
      refuseMisshapen(definition)
      const problems = sagaProblems(definition, find)
      if (problems.length > 0)
        throw new Fault('registration_refused', `Saga ${definition.name} is refused. ${problems.join(' ')}`, {
          details: problems,
        })
      const prepared = prepareSaga(definition, find)
      known.set(prepared.hash, prepared)
      return prepared
    },
    async begin(prepared, { id, tenant, isNamed, input, context }) {
      if (closing) throw new Fault('closed', 'This Proviso is closed; open another one.')
      const { name, hash, version, plan } = prepared
      const first = firstLine(prepared, input)
      if (isNamed && (await isForgotten(prepared, { id, tenant }, ports)))
        throw new Fault(
          'bad_options',
          'This operation was used for a saga that is over and not kept any more. Use a new one.',
        )
      const start = { id, tenant, name, definition: hash, version, plan, input, context, entries: [first] }
      const { created, saga } = await store.create(start, store.leaseMs)
      if (created) return drive(saga, prepared, false, [first])
      const same = saga.name === name && canonicalize(saga.input) === canonicalize(input)
      if (!same)
        throw new Fault('bad_options', 'This operation was already used for a saga with other input. Use a new one.')
      // It was begun before: a sweep of any process goes on with it.
      await resume(tenant, id).catch(report)
    },
    resume,
    async sweep() {
      // One look at a time; what it finds is driven beside the next.
      claiming ??= claim().finally(() => {
        claiming = undefined
      })
      await Promise.all(await claiming)
    },
    async close() {
      closing = true
      // A failed look has thrown in the sweep that began it.
      await claiming?.catch(() => undefined)
      await Promise.all(driving.values())
    },
  }
}

/** Retention drops a saga and its journal; the slots of its steps stay. Begun again, it could undo what they say was done. */
async function isForgotten(
  { steps }: PreparedSaga,
  { id, tenant }: Pick<SagaRecord, 'id' | 'tenant'>,
  { store, slot, slotKey }: SagaPorts,
): Promise<boolean> {
  const first = steps.find(({ mutates }) => mutates)
  if (first === undefined) return false
  const mark = { id, step: first.id, direction: 'forward', round: 1 } as const
  const found = await slot(tenant, slotKey(tenant, first.tool, mark))
  return found !== undefined && (await store.get(id, tenant)) === undefined
}

/** Made before the saga is begun: a saga whose first call cannot be made is never begun. */
function firstLine(prepared: PreparedSaga, input: JsonObject) {
  const { move, progress } = nextMove(prepared, [])
  if (move.kind !== 'render') throw new Fault('internal', 'A saga without steps was registered.')
  const line = renderStep({ saga: prepared, move, input, progress })
  if (line.kind !== 'rendered') throw new Fault('bad_options', `The saga cannot begin. ${line.message}`)
  return line
}

function refuseMisshapen({ name, steps }: SagaDefinition): void {
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/.test(name))
    throw new Fault('bad_options', 'A saga is named by letters, digits, ., - and _, beginning with a letter.')
  if (!Array.isArray(steps) || steps.length === 0)
    throw new Fault('bad_options', `Saga ${name} has no steps; give at least one.`)
}
