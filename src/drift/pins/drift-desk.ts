// What a host does about the tools of others: looks at what is served, and writes down what a person approves of it.

import { holdsInstallationRole, type Identified } from '../../contract/approval/identity.ts'
import { Fault } from '../../contract/fault.ts'
import type { Clock } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin, PinStore } from '../../ledger/ports/pins.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import type { PinReport } from './judge-pin.ts'
import { hashesOf, noCapabilities, type Quarantine } from './quarantine.ts'

export interface PinApproval {
  /** Of a person with the role operator of the installation: pins count for all tenants. */
  readonly credential: string
  /** These alone; everything that is served unless given. */
  readonly tools?: readonly string[]
  readonly why?: string
  readonly capabilities?: JsonObject
  /** Where an OpenAPI document was fetched from: what its addresses are relative to. By default where its pin says. */
  readonly url?: string
}

export interface DriftDesk {
  /**
   * Compares what a source serves now, as it came over the wire, with what was approved: a list of tools, or an OpenAPI document. What
   * differs is quarantined.
   */
  check(source: string, served: unknown, options?: Pick<PinApproval, 'capabilities' | 'url'>): Promise<PinReport>
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

const pinRole = 'operator'

/** Throws where the person may not approve what others publish. A role within a tenant does not count: pins hold for every tenant. */
export function checkPinApprover(person: Identified): void {
  if (!holdsInstallationRole(person, pinRole))
    throw new Fault('not_permitted', `Approving what others publish takes the role ${pinRole} of the installation.`)
}

export function createDriftDesk({ store, quarantine, clock, verify }: DriftDeskInput): DriftDesk {
  return {
    async check(source, served, { capabilities = noCapabilities, url: from } = {}) {
      const url = withoutPassword(from)
      const [{ lookAt }, { pinnedPart }] = await Promise.all([import('./look-at.ts'), import('./pinned-source.ts')])
      const key = { source, capabilities }
      const before = await store.get(key)
      const snapshot = await readAsPinned(served, url, before)
      const { pin, report, written } = await lookAt(store, key, snapshot, before)
      // Our own connections declare nothing; what another client is shown is not what our calls meet.
      if (Object.keys(capabilities).length > 0) return report
      if (written) await quarantine.reload(source)
      else {
        const hashes = new Map(snapshot.tools.map((tool) => [tool.name, pinnedPart(tool, snapshot.kind).hash]))
        quarantine.take(report, hashes, hashesOf(pin))
      }
      return report
    },
    async approve(source, served, { credential, tools, why, capabilities = noCapabilities, url: from }) {
      const url = withoutPassword(from)
      const person = await verify(credential)
      checkPinApprover(person)
      const { nextPin } = await import('./next-pin.ts')
      const key = { source, capabilities }
      const pin = await store.get(key)
      const snapshot = await readAsPinned(served, url, pin)
      const place = placeAt(url, snapshot, pin)
      const next = nextPin({ key, pin, served: snapshot, tools, by: person.user, at: clock.now(), why, place })
      if (next.kind === 'unknown')
        throw new Fault('bad_options', `Neither served nor pinned: ${next.names.join(', ').slice(0, 500)}.`)
      if (next.kind === 'outdated' || (next.kind === 'pin' && !(await store.save(next.pin, 'person'))))
        throw new Fault(
          'packet_changed',
          'Another look at this source, or another approval, came in between. Look again.',
        )
      await quarantine.reload(source)
      return next.kind === 'pin' ? next.pin : (pin as Pin)
    },
    pins: async () => store.list(),
  }
}

/**
 * Where later looks find it, and what its addresses are relative to then. Header lines that were named for another address are not for
 * this one.
 */
function placeAt(url: string | undefined, { kind }: SourceSnapshot, pin: Pin | undefined): JsonObject | undefined {
  if (url === undefined || kind !== 'openapi' || pin?.place?.url === url) return undefined
  return /^https?:/i.test(url) ? { kind: 'document', url } : undefined
}

/** Pins are read by many: no password stands in them. */
function withoutPassword(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain.href
}

/** Read as the command line reads it, so that both give an operation the same name and hash. */
async function readAsPinned(served: unknown, url: string | undefined, pin: Pin | undefined): Promise<SourceSnapshot> {
  const { readPublished } = await import('./read-published.ts')
  const kept = pin?.place?.url
  const reading = readPublished(served, url ?? (typeof kept === 'string' ? kept : undefined))
  if (reading.ok) return reading.source
  const wanted = 'What is served is a list of tools, { tools: [...] }, or an OpenAPI document'
  throw new Fault('bad_options', `${wanted}: ${reading.message}`)
}
