// A look at what a source serves now. What it finds of OpenAPI operations is written down with their pin, because a call of them does not
// see the document: so it holds in every process, and after a restart. Into a file of pins only approvals of people are written.
import { Fault } from '../../contract/fault.ts'
import type { FoundDrift, Pin, PinKey, PinStore } from '../../ledger/ports/pins.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { judgePin, type PinReport } from './judge-pin.ts'
import { pinnedPart } from './pinned-source.ts'

export interface Look {
  /** As it is after the look. */
  readonly pin: Pin | undefined
  readonly report: PinReport
  /** What was found is kept with the pin. */
  readonly written: boolean
}

/** Others may write at the same time; more often than this is no coincidence. */
const maxTries = 10

/** `before`: the pin as it stood when the source was asked. What others have found since is newer, and stays. */
export async function lookAt(
  store: PinStore,
  key: PinKey,
  served: SourceSnapshot,
  before?: Pin | undefined,
): Promise<Look> {
  for (let tries = 0; tries < maxTries; tries++) {
    const pin = await store.get(key)
    const report = await judgePin(key, pin, served)
    if (pin === undefined || pin.kind !== 'openapi' || store.reviewed === true) return { pin, report, written: false }
    const drifted = withNewer(driftsOfApproved(pin, report, served), pin, before ?? pin)
    if (JSON.stringify(drifted) === JSON.stringify(pin.drifted ?? [])) return { pin, report, written: true }
    const { drifted: _before, ...kept } = pin
    const next = { ...kept, revision: pin.revision + 1, ...(drifted.length === 0 ? {} : { drifted }) }
    if (await store.save(next, 'look')) return { pin: next, report, written: true }
  }
  throw new Fault('packet_changed', 'Others write to the pin of this source all the time. Look again.')
}

/** A tool that was never approved is held in any case, and needs no entry. */
function driftsOfApproved(pin: Pin, { drifts }: PinReport, served: SourceSnapshot): readonly FoundDrift[] {
  const approved = new Set(pin.tools.map(({ name }) => name))
  const hashes = new Map(served.tools.map((tool) => [tool.name, pinnedPart(tool, served.kind).hash]))
  return drifts
    .filter(({ tool }) => approved.has(tool))
    .map(({ tool, findings }) => {
      const hash = hashes.get(tool)
      const rules = [...new Set(findings.map(({ rule }) => rule))]
      return { name: tool, ...(hash === undefined ? {} : { hash }), rules }
    })
}

/** A look lets go only what was held when it began: a later look has seen something later. */
function withNewer(found: readonly FoundDrift[], now: Pin, before: Pin): readonly FoundDrift[] {
  const names = new Set(found.map(({ name }) => name))
  const known = new Set(before.drifted?.map(({ name, hash }) => JSON.stringify([name, hash])))
  const newer = (now.drifted ?? []).filter(
    ({ name, hash }) => !names.has(name) && !known.has(JSON.stringify([name, hash])),
  )
  return [...found, ...newer].sort((a, b) => (a.name < b.name ? -1 : 1))
}
