// What a scenario works with: its database and world, the children, the tally, and names for operations that no other scenario has.
import type { ChildPool } from './child-pool.ts'
import { judgeHistories } from './histories.ts'
import { type Host, type HostOptions, openHost } from './host.ts'
import type { PlantName } from './plants.ts'
import type { SagaSpec } from './saga-spec.ts'
import type { Server, Site } from './site.ts'
import type { Tally } from './tally.ts'
import type { ToolSpec } from './tool-spec.ts'
import { createTripWire } from './trip-wire.ts'

export interface Stage {
  readonly pool: ChildPool
  readonly tally: Tally
  /** One server for all that need none to themselves; what it holds need not survive a power cut. */
  readonly server: Server
  /** A few of each instead of all. */
  readonly quick: boolean
  readonly plant: PlantName | undefined
  /** How many runs go on at once. */
  readonly width: number
  /** Says how far it is: call what it gives after each run. */
  progress(total: number): () => void
  /** Says that something could not be tried here, and why. */
  skip(why: string): void
}

export interface Scene extends Stage {
  readonly site: Site
  /** What the processes under test open. */
  readonly options: HostOptions
  /** Recovers, approves, and asks again. */
  readonly host: Host
  nextOperation(): string
}

let operations = 0

/** A scene on a new database, with a process that looks after what others leave behind. */
export async function onScene(
  stage: Stage,
  tools: readonly ToolSpec[],
  work: (scene: Scene) => Promise<void>,
  {
    server = stage.server,
    sagas = [],
  }: { readonly server?: Stage['server']; readonly sagas?: readonly SagaSpec[] } = {},
): Promise<void> {
  const site = await server.site()
  const options: HostOptions = { url: site.url, world: site.folder, tools, sagas }
  const host = await openHost(
    { ...options, ...planted(stage.plant, tools), sweepMs: 100, connections: 10, sequences: true },
    createTripWire(),
  )
  try {
    await work({ ...stage, site, options, host, nextOperation: () => `op-${++operations}` })
  } finally {
    await host.proviso.close()
    stage.tally.histories(judgeHistories(site.folder))
    await site.close()
  }
}

/** Faults are put into the process that recovers and asks again; the processes under test are as they are. */
function planted(plant: PlantName | undefined, tools: readonly ToolSpec[]): Partial<HostOptions> {
  if (plant === undefined) return {}
  return plant === 'needless-hold' ? { tools: tools.map((spec) => ({ ...spec, blind: true })) } : { plant }
}

/** Runs the jobs, this many at a time. One that cannot be done is a finding, and stops no other. */
export async function together<T>(scene: Stage, jobs: readonly T[], work: (job: T) => Promise<void>): Promise<void> {
  const left = [...jobs]
  const done = scene.progress(jobs.length)
  const worker = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      try {
        await work(job)
      } catch (error) {
        const { message, stack } = error instanceof Error ? error : new Error(String(error))
        scene.tally.fail(JSON.stringify(job).slice(0, 200), stack ?? message)
      }
      done()
    }
  }
  await Promise.all(Array.from({ length: Math.min(scene.width, jobs.length) }, worker))
}
