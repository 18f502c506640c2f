// What a host does about the tools of others: looks at what is served, and writes down what a person approves of it.
import { Fault } from '../../contract/fault.ts'
import type { Identified } from '../../contract/identity.ts'
import type { Clock } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin, PinStore } from '../../ledger/pin-store.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import type { PinReport } from './judge-pin.ts'
import { noCapabilities, type Quarantine } from './quarantine.ts'

export interface PinApproval {
  /** Of a person with the role operator: pins count for the whole installation. */
  readonly credential: string
  /** These alone; everything that is served unless given. */
  readonly tools?: readonly string[]
  readonly why?: string
  readonly capabilities?: JsonObject
}

export interface DriftDesk {
  /** Compares what a source serves now, as it came over the wire, with what was approved. What differs is quarantined. */
  check(source: string, served: unknown, options?: { readonly capabilities?: JsonObject }): Promise<PinReport>
  /** Writes down that a person approves what is served; the tools are let go. */
  approve(source: string, served: unknown, approval: PinApproval): Promise<Pin>
  pins(): Promise<readonly Pin[]>
}

export interface DriftDeskInput {
  readonly store: PinStore
  readonly quarantine: Quarantine
  readonly clock: Clock
  readonly verify: (credential: string) => Promise<Identified>
}

export const pinRole = 'operator'

export function createDriftDesk({ store, quarantine, clock, verify }: DriftDeskInput): DriftDesk {
  return {
    async check(source, served, { capabilities = noCapabilities } = {}) {
      const [{ judgePin }, { keptOf }] = await Promise.all([import('./judge-pin.ts'), import('./pinned-source.ts')])
      const snapshot = await readList(served)
      const key = { source, capabilities }
      const report = judgePin(key, await store.get(key), snapshot)
      // Our own connections declare nothing; what another client is shown is not what our calls meet.
      if (Object.keys(capabilities).length === 0)
        quarantine.take(report, new Map(snapshot.tools.map((tool) => [tool.name, keptOf(tool, snapshot.kind).hash])))
      return report
    },
    async approve(source, served, { credential, tools, why, capabilities = noCapabilities }) {
      const person = await verify(credential)
      if (!person.roles.includes(pinRole))
        throw new Fault('not_permitted', `Approving what others publish takes the role ${pinRole}.`)
      const { nextPin } = await import('./next-pin.ts')
      const key = { source, capabilities }
      const pin = await store.get(key)
      const next = nextPin({ key, pin, served: await readList(served), tools, by: person.user, at: clock.now(), why })
      if (next.kind === 'unknown')
        throw new Fault('bad_options', `Neither served nor pinned: ${next.names.join(', ').slice(0, 500)}.`)
      if (next.kind === 'pin' && !(await store.save(next.pin)))
        throw new Fault('packet_changed', 'Somebody else has approved something of this source meanwhile. Look again.')
      await quarantine.reload(source)
      return next.kind === 'pin' ? next.pin : (pin as Pin)
    },
    pins: async () => store.list(),
  }
}

async function readList(served: unknown): Promise<SourceSnapshot> {
  const { readServed } = await import('./read-served.ts')
  const source = readServed(served)
  if (source === undefined) throw new Fault('bad_options', 'What is served is a list of tools, or { tools: [...] }.')
  return source
}
