// Processes that go on working while something happens to their database. Everything they were told is judged when it is over.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, OrGone } from './child-pool.ts'
import { finish } from './finish.ts'
import type { Told } from './host.ts'
import { heard, perform } from './perform.ts'
import { type Scene, together } from './scene.ts'
import type { ToolSpec } from './tool-spec.ts'

export interface UnderFire {
  readonly specs: readonly ToolSpec[]
  readonly processes: number
  /** Operations that each process begins at least, half of them before the fault. */
  readonly operations: number
  readonly name: string
  fault(): Promise<void>
}

interface Wanted {
  readonly spec: ToolSpec
  readonly order: { readonly id: string }
  readonly told: OrGone<Told>[]
}

export async function underFire(scene: Scene, input: UnderFire): Promise<void> {
  const { host, options } = scene
  const { specs, processes, operations, name } = input
  const children = await Promise.all(Array.from({ length: processes }, () => scene.pool.take(options)))
  const wanted: Wanted[] = []
  let over = false
  let begun = 0
  const work = async (child: Child) => {
    for (let done = 0; child.alive && (done < operations || !over); done++) {
      const spec = specs[begun++ % specs.length] as ToolSpec
      const one: Wanted = { spec, order: { id: scene.nextOperation() }, told: [] }
      wanted.push(one)
      one.told.push(...(await perform(child, callOf(one), host.proviso)))
      // Bounded by time and not by speed: a fault lasts seconds, and a call milliseconds.
      await sleep(over ? 0 : 20)
    }
  }
  const working = Promise.all(children.map(work))
  while (wanted.length < (processes * operations) / 2) await sleep(5)
  await input.fault()
  over = true
  await working
  for (const child of children) scene.pool.giveBack(child, options)
  scene.tally.point(name)
  await together(scene, wanted, async (one) => {
    const { spec, order, told } = one
    const judgement = await finish({
      site: scene.site,
      spec,
      order,
      callId: callOf(one).callId,
      host,
      told: heard(told),
    })
    scene.tally.add(`${name}, ${spec.name}`, judgement)
  })
}

const callOf = ({ spec, order }: Wanted) => ({ tool: spec.name, order, callId: `c-${order.id}` })
