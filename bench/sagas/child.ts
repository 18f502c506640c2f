// The process that is killed: it begins the saga, and goes on with it as people decide, and dies at the point that it is told. Its only
// output is its points.
import { setTimeout as sleep } from 'node:timers/promises'
import { decide, isOver, openSagaHost, type SagaHostOptions, viewsOf } from './host.ts'

const { killAt, ...options } = JSON.parse(process.argv[2] ?? '{}') as SagaHostOptions & { readonly killAt: number }
const points: string[] = []
const host = await openSagaHost({
  ...options,
  reach(point) {
    points.push(point)
    if (points.length === killAt) process.kill(process.pid, 'SIGKILL')
  },
})
await host.begin()
const until = performance.now() + 30_000
let views = await viewsOf(host)
while (!views.every(isOver) && performance.now() < until) {
  await decide(host, views, options.folder)
  await host.proviso.recover()
  await sleep(20)
  views = await viewsOf(host)
}
process.stdout.write(JSON.stringify(points), () => process.exit(0))
