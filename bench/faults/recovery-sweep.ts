// Kills the process that recovers, at each of its own points. Its claim keeps all others away for a while, so the process that comes next
// sees the database's clock after that while.
import { setTimeout as sleep } from 'node:timers/promises'
import { finish } from './finish.ts'
import { type HostOptions, openHost } from './host.ts'
import { heard, perform } from './perform.ts'
import type { Scene } from './scene.ts'
import { specOf, type ToolKind, type ToolSpec } from './tool-spec.ts'
import { createTripWire } from './trip-wire.ts'

export interface RecoveryCrash {
  readonly kind: ToolKind
  /** Where the first process was lost. */
  readonly lostAt: 'effect:before#1' | 'effect:after#1'
  /** Where the second one is. */
  readonly label: string | undefined
}

/** Longer than a claim lasts. */
const afterClaimMs = 61_000

export async function traceRecovery(
  scene: Scene,
  kind: ToolKind,
  lostAt: RecoveryCrash['lostAt'],
): Promise<readonly string[]> {
  return (await recoverAndCrash(scene, { kind, lostAt, label: undefined })) ?? []
}

/** Each run has tools of its own, so that no process recovers what belongs to another run. Gives the points of a run without a death. */
export async function recoverAndCrash(scene: Scene, crash: RecoveryCrash): Promise<readonly string[] | undefined> {
  const { site, pool, tally } = scene
  const { kind, lostAt, label } = crash
  const op = scene.nextOperation()
  const point = `recovery ${label?.replace(/#\d+/, '') ?? ''}`
  const spec: ToolSpec = specOf('MEDIUM_RISK_WRITE', kind, {
    name: `${kind}_${op.replace('-', '_')}`,
    timeoutMs: 150,
    horizonMs: 100,
  })
  const options: HostOptions = { url: site.url, world: site.folder, tools: [spec], connections: 2 }
  const order = { id: op }
  const call = { tool: spec.name, order, callId: `c-${op}` }
  const people = await openHost({ ...options, databaseShiftMs: afterClaimMs }, createTripWire())
  const first = await pool.take(options)
  await first.arm(lostAt)
  const told = heard(await perform(first, call, people.proviso))

  if (first.alive) tally.unreached(`${kind} ${lostAt}`)
  const second = await pool.take(options)
  await second.arm(label)
  let points: readonly string[] | undefined
  for (let looked = 0; looked < 200; looked++) {
    // A sweep whose connection is cut fails as a whole and is followed by the next.
    const outcomes = await second.recover().catch(() => [] as const)
    if (outcomes === 'gone') break
    if (outcomes.some((outcome: string) => outcome !== 'later')) break
    await sleep(25)
  }
  if (second.alive) {
    const seen = await second.points()
    points = seen.points
    if (label !== undefined && seen.tripped) tally.point(point)
    if (label !== undefined && !seen.tripped) tally.unreached(`${kind} ${point}`)
    second.signal('SIGKILL')
  } else tally.point(point)
  // The next one recovers at once, and goes on until nothing is left to find out.
  const sweeping = sweepUntilIdle(people)
  try {
    tally.add(
      `recovery of ${kind} lost at ${lostAt}, itself lost at ${label ?? 'no point'}`,
      await finish({ site, spec, order, callId: call.callId, host: people, told }),
    )
  } finally {
    await sweeping.stop()
    await people.proviso.close()
  }
  return points
}

function sweepUntilIdle({ proviso }: Awaited<ReturnType<typeof openHost>>): { stop(): Promise<void> } {
  let stopped = false
  const loop = (async () => {
    while (!stopped) {
      await proviso.recover().catch(() => undefined)
      await sleep(50)
    }
  })()
  return {
    async stop() {
      stopped = true
      await loop
    },
  }
}
