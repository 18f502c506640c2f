// Every scenario, one row each: what is done to whom, all of it or a quick selection.
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostmaster } from '../../src/ledger/embedded/postmaster.ts'
import { windowRanOut } from './closed-window.ts'
import { type Crash, crashAt, tracePoints } from './crash-sweep.ts'
import { crowd } from './crowd.ts'
import { pauseAt } from './paused-executor.ts'
import { randomScenarios } from './random-scenarios.ts'
import { type RecoveryCrash, recoverAndCrash, traceRecovery } from './recovery-sweep.ts'
import { type SagaSpec, sagaSpecs, sagaTools } from './saga-spec.ts'
import { crashSagaAt, type SagaCrash, traceSaga } from './saga-sweep.ts'
import { onScene, type Scene, type Stage, together } from './scene.ts'
import { cutConnections, migrateUnderTraffic, pauseServer, restart } from './server-faults.ts'
import { type Server, startServer } from './site.ts'
import { mountSmallDisk } from './small-disk.ts'
import { effectClasses, specOf, type ToolSpec, toolKinds } from './tool-spec.ts'
import { underFire } from './under-fire.ts'

export interface Scenario {
  readonly name: string
  run(stage: Stage): Promise<void>
}

const medium = toolKinds.map((kind) => specOf('MEDIUM_RISK_WRITE', kind))

/** Where only the connection is lost, the process lives on: tried where the way there differs, which is by kind and by approval. */
const livesOn = (label: string) => label.endsWith(' cut') || label.endsWith(' ended')
const isCut = ({ effect, kind }: ToolSpec) =>
  effect === 'MEDIUM_RISK_WRITE' || (effect === 'HIGH_RISK_EXTERNAL' && kind === 'provider')

/** Few points are enough to find what is planted. */
const isTelling = (label: string) => label === 'admit:after#1' || label.startsWith('effect')

/** A lost connection, and a statement of a call, is the same for every end of the saga: the one that succeeds is enough to try them. */
function isTried({ outcome }: SagaSpec, label: string, { quick, plant }: Stage): boolean {
  // The planted fault lies in the process that goes on with it, so that one is made to do almost everything.
  if (plant !== undefined) return label === 'effect:before#1'
  if (quick) return isTellingOfSaga(label)
  return outcome === 'succeeds' || !/^statement (?!saga-)|(?: cut| ended)$/.test(label)
}

/** One promise is enough to be quick, and two ends to find what is planted. */
const isQuick = ({ kind, outcome }: SagaSpec, { plant }: Stage) =>
  kind === 'verifier' && (plant === undefined || outcome === 'succeeds' || outcome === 'cannot be undone')

/** What the journal writes, and what the world has. */
const isTellingOfSaga = (label: string) => /^(?:sagas\.(?:create|append)|effect):/.test(label)

export const scenarios: readonly Scenario[] = [
  {
    name: 'killed at every point',
    run(stage) {
      const classes = stage.quick ? (['MEDIUM_RISK_WRITE'] as const) : effectClasses
      const specs = classes.flatMap((effect) => toolKinds.map((kind) => specOf(effect, kind)))
      return onScene(stage, specs, async (scene) => {
        const crashes: Crash[] = []
        for (const spec of specs) {
          const points = await tracePoints(scene, spec)
          const chosen = points.filter((label) => !livesOn(label) || isCut(spec))
          crashes.push(...chosen.map((label) => ({ spec, label })))
        }
        await sweep(scene, stage.plant === undefined ? crashes : crashes.filter(({ label }) => isTelling(label)))
      })
    },
  },
  {
    name: 'a saga killed at every point',
    run(stage) {
      const specs = stage.quick ? sagaSpecs.filter((spec) => isQuick(spec, stage)) : sagaSpecs
      return onScene(
        stage,
        sagaTools,
        async (scene) => {
          const crashes: SagaCrash[] = []
          for (const spec of specs) {
            const points = await traceSaga(scene, spec)
            crashes.push(...points.filter((label) => isTried(spec, label, stage)).map((label) => ({ spec, label })))
          }
          await together(scene, crashes, (crash) => crashSagaAt(scene, crash))
        },
        { sagas: sagaSpecs },
      )
    },
  },
  {
    name: 'killed in the second attempt',
    run: (stage) =>
      onScene(stage, medium, async (scene) => {
        const crashes: Crash[] = []
        for (const spec of medium) {
          const order = { fails: 1 }
          const points = await tracePoints(scene, spec, order, 1)
          const chosen = points.filter((label) => !livesOn(label) && (!stage.quick || label.startsWith('effect')))
          crashes.push(...chosen.map((label) => ({ spec, label, order, before: 1, name: 'second attempt' })))
        }
        await sweep(scene, crashes)
      }),
  },
  {
    name: 'killed while it retries by itself',
    run(stage) {
      const specs = toolKinds.map((kind) =>
        specOf('MEDIUM_RISK_WRITE', kind, { name: `retried_${kind}`, maxRetries: 1 }),
      )
      return onScene(stage, specs, async (scene) => {
        const crashes = specs.flatMap((spec) =>
          ['effect:before#1', 'effect:after#1', 'record:before#1'].map((label) => ({
            spec,
            label,
            order: { fails: 1 },
            name: 'retried within the attempt',
          })),
        )
        await sweep(scene, stage.quick ? crashes.filter(({ label }) => label === 'effect:after#1') : crashes)
      })
    },
  },
  {
    name: 'the recovering process killed in its turn',
    run: (stage) =>
      onScene(stage, [], async (scene) => {
        const crashes: RecoveryCrash[] = []
        for (const kind of toolKinds) {
          for (const lostAt of ['effect:before#1', 'effect:after#1'] as const) {
            const points = (await traceRecovery(scene, kind, lostAt)).filter((label) => !isLooking(label))
            const chosen = stage.quick ? points.filter((label) => label.startsWith('record')) : points
            crashes.push(...chosen.map((label) => ({ kind, lostAt, label })))
          }
        }
        await together(scene, crashes, async (crash) => void (await recoverAndCrash(scene, crash)))
      }),
  },
  {
    name: 'two and eight processes with the same operations',
    run: (stage) =>
      onScene(stage, medium, async (scene) => {
        const rounds = stage.quick
          ? [{ processes: 2, operations: 8, killed: 1 }]
          : [
              { processes: 2, operations: 16, killed: 0 },
              { processes: 2, operations: 8, killed: 1 },
              { processes: 8, operations: 24, killed: 0 },
              { processes: 8, operations: 12, killed: 3 },
            ]
        for (const round of rounds) await crowd(scene, { specs: medium, ...round })
      }),
  },
  {
    name: 'clocks that are off',
    run: (stage) =>
      onScene(stage, medium, async (scene) => {
        const hour = 3_600_000
        const shifts = stage.quick
          ? [{ clockShiftMs: hour }]
          : [{ clockShiftMs: hour }, { clockShiftMs: -hour }, { databaseShiftMs: 2_000 }, { databaseShiftMs: -10_000 }]
        const crashes: Crash[] = shifts.flatMap((shift) => {
          const options = { ...scene.options, ...shift }
          const name = `clock off by ${JSON.stringify(shift)}`
          return medium.flatMap((spec) => [
            { spec, label: 'effect:before#1', options, name },
            { spec, label: 'effect:after#1', options, name },
            // The first start fails, and the second does not come back: its end is unknown, and no process died.
            {
              spec,
              label: 'answer:after#1',
              order: { fails: 1, hangs: 2 },
              before: 1,
              options,
              name: `${name}, hanging`,
            },
          ])
        })
        await sweep(scene, crashes)
      }),
  },
  {
    name: 'an executor that stands still and wakes up',
    run(stage) {
      const patient = { timeoutMs: 2_000, horizonMs: 3_000 }
      const specs = toolKinds.map((kind) => specOf('MEDIUM_RISK_WRITE', kind, { name: `patient_${kind}`, ...patient }))
      return onScene(stage, specs, async (scene) => {
        const labels = stage.quick ? ['effect:before#1'] : ['effect:before#1', 'effect:after#1', 'admit:after#1']
        const jobs = specs.flatMap((spec) => labels.map((label) => ({ spec, label, forMs: 1_500 })))
        await together(scene, jobs, (job) => pauseAt(scene, job))
      })
    },
  },
  {
    name: 'a provider window that ran out',
    run: (stage) =>
      onScene(stage, [], async (scene) => {
        const jobs = ['effect:before#1', 'effect:after#1'].flatMap((label) => [
          { label, verified: false },
          { label, verified: true },
        ])
        await together(scene, jobs, ({ label, verified }) => windowRanOut(scene, label, verified))
      }),
  },
  {
    name: 'random scenarios against a run without crashes',
    async run(stage) {
      await onScene(stage, [], async ({ site, tally }) => {
        await randomScenarios({ place: { world: site.world }, runs: stage.quick ? 20 : 60, seed: 20_261_115, tally })
        await randomScenarios({ place: site, runs: stage.quick ? 8 : 30, seed: 20_261_115, tally })
      })
    },
  },
  {
    name: 'Postgres restarted, killed, cut off, standing still, migrated',
    async run(stage) {
      const server = await startServer({})
      try {
        await onScene(stage, medium, (scene) => torment(scene, server), { server })
      } finally {
        await server.stop()
      }
    },
  },
  {
    name: 'a disk without room',
    async run(stage) {
      const disk = await mountSmallDisk(220)
      if (typeof disk === 'string') return stage.skip(`a disk without room: ${disk}`)
      try {
        const server = await startServer(
          { max_wal_size: '48MB', min_wal_size: '32MB', shared_buffers: '16MB' },
          disk.path,
        )
        try {
          await onScene(stage, medium, (scene) => fillUp(scene, server, disk), { server })
        } finally {
          disk.free()
          await server.stop()
        }
      } finally {
        await disk.unmount()
      }
    },
  },
]

const sweep = (scene: Scene, crashes: readonly Crash[]): Promise<void> =>
  together(scene, crashes, (crash) => crashAt(scene, crash))

/** It looks until something is due; only the look that finds something is a point of its own, and it is the last. */
const isLooking = (label: string) => /claim.*#[2-9]|claim.*#\d\d/.test(label)

async function torment(scene: Scene, server: Server): Promise<void> {
  const load = { specs: medium as readonly ToolSpec[], processes: 3, operations: 6 }
  const faults: readonly (readonly [string, () => Promise<void>])[] = [
    ['restarted', () => restart(server, 'SIGINT')],
    ['stopped patiently', () => restart(server, 'SIGTERM')],
    ['killed', () => restart(server, 'SIGKILL')],
    ['cut off', () => cutConnections(scene.site, 800)],
    ['standing still', () => pauseServer(server, 1_500)],
    ['migrated', () => migrateUnderTraffic(scene.site, 3)],
  ]
  for (const [name, fault] of faults) await underFire(scene, { ...load, name: `Postgres ${name}`, fault })
}

async function fillUp(scene: Scene, server: Server, disk: { fill(): void; free(): void }): Promise<void> {
  await underFire(scene, {
    specs: medium as readonly ToolSpec[],
    processes: 3,
    operations: 6,
    name: 'Postgres without room',
    async fault() {
      disk.fill()
      if (await hasRoom(scene)) scene.tally.fail('a disk without room', 'there was still room')
      await sleep(2_000)
      disk.free()
      if ((await findPostmaster(server.data)) === undefined) await server.startAgain()
    },
  })
}

/** Whether Postgres can still put something down that is larger than what it has at hand. */
async function hasRoom({ site }: Scene): Promise<boolean> {
  try {
    await site.query("create table world.filler as select repeat('x', 1000) from generate_series(1, 20000)")
    return true
  } catch {
    return false
  }
}
