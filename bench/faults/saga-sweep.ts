// Kills a process before and after everything it writes and everything it does while it drives a saga. A process that is left takes the saga up;
// people say what is held, and resume what stands still.
import type { SagaState, SagaView } from '../../src/index.ts'
import type { Child, OrGone } from './child-pool.ts'
import { type FrozenSaga, judgeFrozen } from './frozen-judge.ts'
import type { Host, HostOptions, SagaOrder } from './host.ts'
import { readSlots } from './judge.ts'
import { resolve, resumeSaga } from './people.ts'
import { judgeSaga } from './saga-judge.ts'
import { type SagaSpec, sagaName, sagaSpecs, sagaTools, undoEffect } from './saga-spec.ts'
import type { Scene } from './scene.ts'
import type { Site } from './site.ts'
import { until } from './until.ts'

export interface SagaCrash {
  readonly spec: SagaSpec
  readonly label: string
}

/** Where only the connection is lost, the process lives on, and may turn the saga back. */
const livesOn = (label: string) => label.endsWith(' cut') || label.endsWith(' ended')

/** What the process that drives it opens: its own kind of tools and sagas, so that it starts in less time. */
const optionsFor = ({ options }: Scene, { kind }: SagaSpec): HostOptions => ({
  ...options,
  tools: sagaTools.filter((tool) => tool.kind === kind),
  sagas: sagaSpecs.filter((saga) => saga.kind === kind),
})

/** Every point that a process passes while it drives this saga. */
export async function traceSaga(scene: Scene, spec: SagaSpec): Promise<readonly string[]> {
  const { pool } = scene
  const options = optionsFor(scene, spec)
  const child = await pool.take(options)
  const op = scene.nextOperation()
  await child.arm()
  await child.saga({ name: sagaName(spec), op })
  const { points } = await child.points()
  pool.giveBack(child, options)
  await endOf(scene, { spec, op, told: undefined, strict: true, label: 'no point' })
  return points
}

/** A process that has to share its processor may lose the saga to another one before it comes to its point; it is tried again then. */
const mostTries = 5

export async function crashSagaAt(scene: Scene, crash: SagaCrash): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) if (await crashesAt(scene, crash)) return
  scene.tally.unreached(`saga ${sagaName(crash.spec)} ${crash.label}`)
}

/** False where the process did not come to its point. What became of its saga counts all the same. */
async function crashesAt(scene: Scene, { spec, label }: SagaCrash): Promise<boolean> {
  const { pool, tally } = scene
  const options = optionsFor(scene, spec)
  const op = scene.nextOperation()
  const order: SagaOrder = { name: sagaName(spec), op }
  const child = await pool.take(options)
  await child.arm(label)
  const answer = await child.saga(order)
  const seen = (await died(child, label, answer)) ? undefined : await child.seen()
  const isReached = seen === undefined || seen === 'gone' || seen.tripped
  if (isReached) tally.point(`saga ${label}`)
  if (seen !== undefined && seen !== 'gone') {
    await child.arm()
    pool.giveBack(child, options)
  }
  await endOf(scene, { spec, op, told: answer === 'gone' ? undefined : answer, strict: !livesOn(label), label })
  return isReached
}

const died = async (child: Child, label: string, answer: OrGone<SagaState>): Promise<boolean> =>
  !child.alive || answer === 'gone' || (label.startsWith('answer:after') && child.ends(3_000))

interface Ending {
  readonly spec: SagaSpec
  readonly op: string
  readonly told: SagaState | undefined
  readonly strict: boolean
  readonly label: string
}

/** On a machine that is busy with others, what is under way takes its time. */
const settleMs = 60_000
/** What is planted may keep a saga from its end. */
const settlePlantedMs = 10_000

async function endOf(scene: Scene, { spec, op, told, strict, label }: Ending): Promise<void> {
  const { site, host, tally, plant } = scene
  // Asked for again, it is the same saga: begun now where it never was.
  const { id } = await host.saga({ name: sagaName(spec), op })
  const held: string[] = []
  let frozen: FrozenSaga | undefined
  await until(
    async () => {
      const view = await host.proviso.sagas.get(id)
      if (view === undefined || isOver(view)) return true
      if (view.frozen !== undefined) frozen = (await unfreeze(view, op, scene)) ?? frozen
      held.push(...(await resolveHeld(site, op, host)))
      return false
    },
    plant === undefined ? settleMs : settlePlantedMs,
  )
  const evidence = { op, id, spec, host, told, held, frozen, strict }
  tally.add(`saga ${sagaName(spec)} at ${label}`, await judgeSaga(site, evidence))
}

const isOver = ({ state }: SagaView) => state === 'COMPLETED' || state === 'COMPENSATED'

/** People mend the cause and let it go on; only where they were asked. */
async function unfreeze(view: SagaView, op: string, { site, host }: Scene): Promise<FrozenSaga | undefined> {
  const questions = await host.proviso.escalations.list('acme')
  if (!questions.some(({ callId, kind }) => callId === view.frozen?.call && kind === 'compensation_failed'))
    return undefined
  const frozen = await judgeFrozen(site, host, op, view)
  site.world.mend(undoEffect(op, 1))
  await resumeSaga(host.proviso, view.id, 'acme')
  return frozen
}

/** A person looks at the world and says what is there. Gives the tools that were asked about. */
async function resolveHeld(site: Site, op: string, { proviso }: Host): Promise<readonly string[]> {
  const tools: string[] = []
  for (const slot of await readSlots(site, op)) {
    if (!slot.held || !slot.asked) continue
    const call = await proviso.calls.get(slot.call_id)
    const { id } = JSON.parse(call?.argumentText ?? '{}') as { readonly id?: string }
    await resolve(proviso, slot.call_id, (await site.fired(id ?? '')) > 0 ? 'happened' : 'none', 'acme')
    tools.push(call?.key.tool ?? '')
  }
  return tools
}
