// A process stands still before its effect, loses its lease, and wakes up to go on. Meanwhile others look for it and ask for the same.
import { setTimeout as sleep } from 'node:timers/promises'
import { finish } from './finish.ts'
import type { Told } from './host.ts'
import { readSlots } from './judge.ts'
import { heard, perform } from './perform.ts'
import type { Scene } from './scene.ts'
import type { ToolSpec } from './tool-spec.ts'
import { until } from './until.ts'

export interface Pause {
  readonly spec: ToolSpec
  readonly label: string
  readonly forMs: number
}

export async function pauseAt(scene: Scene, { spec, label, forMs }: Pause): Promise<void> {
  const { host, options } = scene
  const op = scene.nextOperation()
  const order = { id: op }
  const call = { tool: spec.name, order, callId: `c-${op}` }
  const child = await scene.pool.take(options)
  await child.arm(label, 'stop')
  const performing = perform(child, call, host.proviso)
  const meanwhile: Told[] = []
  // No other call is to be admitted first.
  await until(async () => (await readSlots(scene.site, op)).length > 0, 10_000)
  const end = performance.now() + forMs
  while (performance.now() < end) {
    await sleep(80)
    meanwhile.push(...heard(await perform(host, { ...call, callId: `${call.callId}-meanwhile` }, host.proviso)))
  }
  // Again and again: on a busy machine it may come to its point only after it was first told to go on.
  const waking = setInterval(() => child.signal('SIGCONT'), 50)
  const told = [...meanwhile, ...heard(await performing)]
  clearInterval(waking)
  if ((await child.points()).tripped) scene.tally.point(`paused at ${label.replace(/#\d+/, '')}`)
  else scene.tally.unreached(`${spec.name} paused at ${label}`)
  scene.pool.giveBack(child, options)
  scene.tally.add(
    `${spec.name} paused at ${label}`,
    await finish({ site: scene.site, spec, order, callId: call.callId, host, told }),
  )
}
