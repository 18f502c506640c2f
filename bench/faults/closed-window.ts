// A provider honours a key for its window only. A process that finds a lost attempt after that must not send it again: what can be read back is
// read back, and the rest is held for a person.
import { setTimeout as sleep } from 'node:timers/promises'
import { finish } from './finish.ts'
import { type HostOptions, openHost } from './host.ts'
import { heard, perform } from './perform.ts'
import type { Scene } from './scene.ts'
import { specOf } from './tool-spec.ts'
import { createTripWire } from './trip-wire.ts'

const windowMs = 2_000

export async function windowRanOut(scene: Scene, lostAt: string, verified: boolean): Promise<void> {
  const { site, pool, tally } = scene
  const op = scene.nextOperation()
  const spec = specOf('MEDIUM_RISK_WRITE', 'provider', {
    name: `window_${op.replace('-', '_')}`,
    timeoutMs: 200,
    horizonMs: 100,
    windowMs,
    verified,
  })
  const options: HostOptions = { url: site.url, world: site.folder, tools: [spec], connections: 2 }
  const order = { id: op }
  const call = { tool: spec.name, order, callId: `c-${op}` }
  const child = await pool.take(options)
  await child.arm(lostAt)
  const people = await openHost(options, createTripWire())
  const told = heard(await perform(child, call, people.proviso))
  await people.proviso.close()
  await sleep(windowMs)
  const sent = site.world.requests(op)
  const late = await openHost({ ...options, sweepMs: 50 }, createTripWire())
  const judgement = await finish({ site, spec, order, callId: call.callId, host: late, told, windowOpen: verified })
  await late.proviso.close()
  const where = `window ran out, ${verified ? 'with' : 'without'} a verifier, lost at ${lostAt}`
  tally.add(where, judgement)
  if (child.alive) return tally.unreached(where)
  tally.point(`window ran out after ${lostAt.replace(/#\d+/, '')}`)
  // Sent again only by an attempt that was asked for after the first was found not to have happened.
  const allowed = sent === 0 ? 1 : sent
  if (site.world.requests(op) > allowed) tally.fail(where, 'the provider was asked again after its window')
  if (!verified && !judgement.held) tally.fail(where, 'no person was asked, although no process can tell')
}
