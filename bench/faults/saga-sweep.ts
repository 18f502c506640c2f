// Kills a process before and after everything it writes and everything it does while it drives a saga. Whoever is left takes the saga up;
// people say what is held, and resume what stands still.
import type { SagaState, SagaView } from '../../src/index.ts'
import type { Child, OrGone } from './child-pool.ts'
import type { Host, SagaOrder } from './host.ts'
import { readSlots } from './judge.ts'
import { resolve, resumeSaga } from './people.ts'
import { judgeSaga } from './saga-judge.ts'
import { type SagaSpec, sagaName, undoEffect } from './saga-spec.ts'
import type { Scene } from './scene.ts'
import type { Site } from './site.ts'
import { until } from './until.ts'

export interface SagaCrash {
  readonly spec: SagaSpec
  readonly label: string
}

/** Where only the connection is lost, the process lives on, and may turn the saga back. */
const livesOn = (label: string) => label.endsWith(' cut') || label.endsWith(' ended')

/** Every point that a process passes while it drives this saga. */
export async function traceSaga(scene: Scene, spec: SagaSpec): Promise<readonly string[]> {
  const { pool, options } = scene
  const child = await pool.take(options)
  const op = scene.nextOperation()
  await child.arm()
  await child.saga({ name: sagaName(spec), op })
  const { points } = await child.points()
  pool.giveBack(child, options)
  await endOf(scene, { spec, op, told: undefined, strict: true, label: 'no point' })
  return points
}

export async function crashSagaAt(scene: Scene, { spec, label }: SagaCrash): Promise<void> {
  const { pool, tally, options } = scene
  const op = scene.nextOperation()
  const order: SagaOrder = { name: sagaName(spec), op }
  const child = await pool.take(options)
  await child.arm(label)
  const answer = await child.saga(order)
  const seen = (await died(child, label, answer)) ? undefined : await child.seen()
  if (seen === undefined || seen === 'gone') tally.point(`saga ${label}`)
  else {
    if (seen.tripped) tally.point(`saga ${label}`)
    else tally.unreached(`saga ${sagaName(spec)} ${label}`)
    await child.arm()
    pool.giveBack(child, options)
  }
  await endOf(scene, { spec, op, told: answer === 'gone' ? undefined : answer, strict: !livesOn(label), label })
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

async function endOf(scene: Scene, { spec, op, told, strict, label }: Ending): Promise<void> {
  const { site, host, tally } = scene
  // Asked for again, it is the same saga: begun now where it never was.
  const { id } = await host.saga({ name: sagaName(spec), op })
  const held: string[] = []
  let frozen = false
  await until(async () => {
    const view = await host.proviso.sagas.get(id)
    if (view === undefined || isOver(view)) return true
    if (view.frozen !== undefined) frozen = (await unfreeze(view, op, scene)) || frozen
    held.push(...(await resolveHeld(site, op, host)))
    return false
  }, settleMs)
  const calls = new Set((await host.proviso.calls.list({ run: op, limit: 1_000 })).map((call) => call.id))
  const openQuestions = (await host.proviso.escalations.list('acme'))
    .filter(({ callId, kind }) => calls.has(callId) && (kind === 'compensation_failed' || kind === 'saga_stalled'))
    .map(({ kind, message }) => `${kind}: ${message}`)
  const evidence = { op, id, spec, host, told, held, frozen, strict, openQuestions }
  tally.add(`saga ${sagaName(spec)} at ${label}`, await judgeSaga(site, evidence))
}

const isOver = ({ state }: SagaView) => state === 'COMPLETED' || state === 'COMPENSATED'

/** People mend the cause and let it go on; only where they were asked. */
async function unfreeze(view: SagaView, op: string, { site, host: { proviso } }: Scene): Promise<boolean> {
  const questions = await proviso.escalations.list('acme')
  if (!questions.some(({ callId, kind }) => callId === view.frozen?.call && kind === 'compensation_failed'))
    return false
  site.world.mend(undoEffect(op, 1))
  await resumeSaga(proviso, view.id, 'acme')
  return true
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
