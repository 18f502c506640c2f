// Plays histories of the exploration on a real Postgres, each step of the ledger by its port, and compares every answer and every record.
import type { Deed, DeedName, Step } from '../deed.ts'
import type { Setting } from '../setting.ts'
import type { State } from '../state.ts'
import { compareWith } from './compare.ts'
import { playCalls } from './play-calls.ts'
import { packetOf, playPeople } from './play-people.ts'
import { playOutside, playProcesses } from './play-processes.ts'
import { playRecovery } from './play-recovery.ts'
import type { RealProcess, RealProcesses } from './real-processes.ts'
import { createStage, type Plays, type Said, unplayable } from './stage.ts'

export interface Replayed {
  /** Steps that were played and compared. */
  readonly compared: number
  /** What the ledger said otherwise, with the steps up to there. */
  readonly difference: string | undefined
  /** From some step on it could not be played: a session came back sooner than in the history. */
  readonly cutShort: boolean
}

let played = 0

export async function replay(
  setting: Setting,
  history: readonly Step[],
  real: RealProcesses,
  pool: RealProcess[],
): Promise<Replayed> {
  const one = createPlay(setting, real, pool)
  await one.begin()
  let compared = 0
  for (const [at, { deed, next }] of history.entries()) {
    const said = await one.play(deed, next)
    if (said === unplayable) return end(undefined, true)
    const differs = said ?? (await one.compare(next))
    if (differs !== undefined)
      return end(
        `${differs}\n${history
          .slice(0, at + 1)
          .map(({ deed: each }) => lineOf(each))
          .join('\n')}`,
        false,
      )
    compared++
  }
  return end(undefined, false)

  async function end(difference: string | undefined, cutShort: boolean): Promise<Replayed> {
    await one.end()
    return { compared, difference, cutShort }
  }
}

export const lineOf = ({ does, came, ...rest }: Deed): string => {
  const where = Object.entries(rest).map(([name, value]) => `${name} ${value}`)
  return `${does} (${where.join(', ')}): ${came}`
}

function createPlay(setting: Setting, real: RealProcesses, pool: RealProcess[]) {
  const stage = createStage(setting, real, ++played)
  const { processes, sessionless, names, any } = stage

  /** The process is killed, and another one begins in its place. */
  async function begin(at: number): Promise<void> {
    const process = processes[at] as RealProcess
    await real.kill(process)
    const fresh = await real.open(setting)
    pool[pool.indexOf(process)] = fresh
    processes[at] = fresh
  }

  const plays: Plays<DeedName> = {
    ...playCalls(stage),
    ...playRecovery(stage),
    ...playPeople(stage),
    ...playProcesses(stage, begin),
    ...playOutside,
  }

  return {
    async begin() {
      while (pool.length < setting.processes) pool.push(await real.open(setting))
      // All that the history before has left is long over, and processes have run for some time.
      await real.pass(pool, 8)
      processes.push(...pool.slice(0, setting.processes))
      if (setting.young === true) for (const at of processes.keys()) await begin(at)
      if (setting.consent !== undefined) await any().approvals.open(packetOf(stage, {}), 10)
    },
    async play(deed: Deed, next: State): Promise<Said> {
      const playOne = plays[deed.does] as (deed: Deed, next: State) => Promise<Said> | Said
      const said = await playOne(deed, next)
      stage.before = next
      return said
    },
    compare: (next: State): Promise<Said> => compareWith(next, { setting, names, real, ledger: any() }),
    async end() {
      for (const index of sessionless) await real.regain(processes[index] as RealProcess)
      // Nothing of it is left that others could be given.
      await real.admin.query('delete from proviso.idempotency_keys where tenant_id = $1', [names.tenant])
    },
  }
}
