// Many processes want the same operations at the same time; some of them die while they are at it.
import type { Child } from './child-pool.ts'
import { finish } from './finish.ts'
import { heard, perform } from './perform.ts'
import type { Scene } from './scene.ts'
import { isNamedByCall, type ToolSpec } from './tool-spec.ts'

export interface Crowd {
  readonly specs: readonly ToolSpec[]
  readonly processes: number
  readonly operations: number
  /** How many of the processes are killed when they are half through. */
  readonly killed: number
}

export async function crowd(scene: Scene, { specs, processes, operations, killed }: Crowd): Promise<void> {
  const { host, options } = scene
  const children = await Promise.all(Array.from({ length: processes }, () => scene.pool.take(options)))
  const wanted = Array.from({ length: operations }, (_, index) => {
    const op = scene.nextOperation()
    return { spec: specs[index % specs.length] as ToolSpec, order: { id: op } }
  })
  const told = new Map(wanted.map(({ order }) => [order.id, [] as Awaited<ReturnType<typeof perform>>[number][]]))
  const work = async (child: Child, number: number) => {
    for (const [index, { spec, order }] of wanted.entries()) {
      if (number < killed && index === Math.floor(operations / 2)) setTimeout(() => child.signal('SIGKILL'), number * 3)
      // Half of them under the same id, as a repeated delivery; the others under their own.
      const callId = number % 2 === 0 || isNamedByCall(spec) ? `c-${order.id}` : `c-${order.id}-${number}`
      told.get(order.id)?.push(...(await perform(child, { tool: spec.name, order, callId }, host.proviso)))
      if (!child.alive) return
    }
  }
  await Promise.all(children.map(work))
  for (const child of children) scene.pool.giveBack(child, options)
  await Promise.all(
    wanted.map(async ({ spec, order }) => {
      const heardSo = heard(told.get(order.id) ?? [])
      const judgement = await finish({ site: scene.site, spec, order, callId: `c-${order.id}`, host, told: heardSo })
      scene.tally.add(`${processes} processes, ${spec.name}`, judgement)
    }),
  )
}
