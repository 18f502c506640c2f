// Kills a process before and after everything it writes and everything it does, once per point, for every class and every kind of tool.
import type { Child, OrGone } from './child-pool.ts'
import { finish } from './finish.ts'
import type { HostOptions, Told } from './host.ts'
import { heard, perform } from './perform.ts'
import type { Scene } from './scene.ts'
import type { Order, ToolSpec } from './tool-spec.ts'

export interface Crash {
  readonly spec: ToolSpec
  readonly label: string
  readonly order?: Omit<Order, 'id'>
  /** Calls before the point counts: the first attempt of an operation that fails and may be retried. */
  readonly before?: number
  /** What the process under test opens, where it differs. */
  readonly options?: HostOptions
  readonly name?: string
}

/** Every point that a process passes while it does this, in order. */
export async function tracePoints(
  scene: Scene,
  spec: ToolSpec,
  order: Omit<Order, 'id'> = {},
  before = 0,
): Promise<readonly string[]> {
  const { pool, options, host } = scene
  const child = await pool.take(options)
  const op = scene.nextOperation()
  const call = { tool: spec.name, order: { id: op, ...order }, callId: `c-${op}` }
  for (let done = 0; done < before; done++) await perform(child, call, host.proviso)
  await child.arm()
  await perform(child, call, host.proviso)
  const { points } = await child.points()
  pool.giveBack(child, options)
  return points
}

export async function crashAt(scene: Scene, crash: Crash): Promise<void> {
  const { pool, host, tally, site } = scene
  const { spec, label, before = 0, options = scene.options, name = 'crash' } = crash
  const op = scene.nextOperation()
  const order: Order = { id: op, ...crash.order }
  const call = { tool: spec.name, order, callId: `c-${op}` }
  const child = await pool.take(options)
  const early: OrGone<Told>[] = []
  // What the child was armed with before is over.
  await child.arm()
  for (let done = 0; done < before; done++) early.push(...(await perform(child, call, host.proviso)))
  await child.arm(label)
  const answers = await perform(child, call, host.proviso)
  const point = label.replace(/#\d+/, '')
  // One that is killed behind its answer may still be about to die when it is asked.
  const seen = (await died(child, label)) ? undefined : await child.seen()
  if (seen === undefined || seen === 'gone') tally.point(point)
  else {
    if (seen.tripped) tally.point(point)
    else tally.unreached(`${spec.name} ${label}`)
    // It must not come to its point later, in another run.
    await child.arm()
    pool.giveBack(child, options)
  }
  const told = heard([...early, ...answers])
  tally.add(
    `${name}: ${spec.name} at ${label}`,
    await finish({
      site,
      spec,
      order,
      callId: call.callId,
      host,
      told,
      ...(scene.plant === undefined ? {} : { settleMs: 3_000 }),
    }),
  )
}

/** A process that dies after its answer dies a moment later than the answer arrives. */
async function died(child: Child, label: string): Promise<boolean> {
  return !child.alive || (label.startsWith('answer:after') && child.ends(3_000))
}
