// One process that begins or takes up the sagas of a plan; a point is reached before and after each write of a journal and each effect.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyring, openProviso, type Proviso, type SagaView } from '../../src/index.ts'
import { manualClock } from '../../src/json/clock.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Course, doneIn, innerSaga, planSaga, planTools } from './plan.ts'

export interface SagaHostOptions {
  readonly url: string
  readonly folder: string
  readonly course: Course
  /** Which definitions it knows. */
  readonly knows: 'first' | 'changed' | 'both'
  readonly reach?: (point: string) => void
  /** How far the clock of its database is ahead. */
  readonly aheadMs?: number
}

const people = keyring()
const caller = { tenant: 'acme', user: 'ann' } as const

export interface SagaHost {
  readonly proviso: Proviso
  begin(): Promise<string>
  /** Time for a process to take a definition that it does not know for lost. */
  passMinute(): void
}

export async function openSagaHost(options: SagaHostOptions): Promise<SagaHost> {
  const { url, folder, course, knows, reach = () => undefined, aheadMs = 0 } = options
  const ledger = await postgres(url, {
    leaseMs: 400,
    connections: 3,
    log: { sequence: false },
    driver: { options: `-c proviso.clock_offset_ms=${aheadMs}` },
  })
  const clock = manualClock(Date.now())
  let proviso: Proviso | undefined
  const inner = async (operationId: string) => {
    const view = await proviso?.saga(innerSaga).start({}, { ...caller, run: 'inner', operationId })
    return view?.id ?? ''
  }
  proviso = await openProviso({
    ledger: watched(ledger, reach),
    tools: planTools(course, { folder, reach, inner }),
    identity: people,
    sweepMs: 2_000_000_000,
    ...(aheadMs > 0 ? { clock } : {}),
  })
  const first = knows === 'changed' ? undefined : proviso.saga(planSaga(course, false))
  if (knows !== 'first') proviso.saga(planSaga(course, true))
  proviso.saga(innerSaga)
  return {
    proviso,
    begin: async () => (await first?.start({}, { ...caller, run: 'run-1', operationId: 'one' }))?.id ?? '',
    passMinute: () => clock.advance(61_000),
  }
}

function watched(ledger: Ledger, reach: (point: string) => void): Ledger {
  return {
    ...ledger,
    sagas: {
      ...ledger.sagas,
      async append(write) {
        const what = write.entries.map(({ kind }) => kind).join('+')
        reach(`write ${what} before`)
        const written = await ledger.sagas.append(write)
        reach(`write ${what} after`)
        return written
      },
    },
  }
}

export async function viewsOf({ proviso }: SagaHost): Promise<readonly SagaView[]> {
  const all = await proviso.sagas.list({})
  const views = await Promise.all(all.map(({ id }) => proviso.sagas.get(id)))
  return views.filter((view) => view !== undefined)
}

export const isOver = ({ state }: Pick<SagaView, 'state'>) => state === 'COMPLETED' || state === 'COMPENSATED'

/** People look at the world: they approve, say what is there, and mend. */
export async function decide({ proviso }: SagaHost, views: readonly SagaView[], folder: string): Promise<number> {
  const credential = await people.issue({ user: 'bea', tenant: 'acme', roles: ['operator', 'approver'] })
  let asked = 0
  for (const { id, packetHash } of await proviso.approvals.list({ status: 'pending' })) {
    await proviso.approvals.approve(id, { credential, packetHash })
    asked++
  }
  for (const { callId, kind } of await proviso.escalations.list('acme')) {
    if (kind !== 'unknown_effect') continue
    const call = await proviso.calls.get(callId)
    const { step = '' } = JSON.parse(call?.argumentText ?? '{}') as { readonly step?: string }
    const effect = doneIn(folder).includes(step) ? 'happened' : 'none'
    await proviso.calls.resolve(callId, { credential, why: 'Looked at the world.', effect })
    asked++
  }
  for (const { id, frozen } of views) {
    if (frozen === undefined) continue
    await writeFile(join(folder, `mended-undo-${frozen.step}`), '')
    await proviso.sagas.resume(id, { credential, why: 'Mended.' })
    asked++
  }
  return asked
}
