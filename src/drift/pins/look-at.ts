// A look at what a source serves now. What it finds of OpenAPI operations is written down with their pin, because nobody sees the document
// when they are called: so it holds in every process, and after a restart. Only what people approve is written into a file of theirs.
import { Fault } from '../../contract/fault.ts'
import type { FoundDrift, Pin, PinKey, PinStore } from '../../ledger/pin-store.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { judgePin, type PinReport } from './judge-pin.ts'
import { keptOf } from './pinned-source.ts'

export interface Look {
  /** As it stands after the look. */
  readonly pin: Pin | undefined
  readonly report: PinReport
  /** What was found stands with the pin. */
  readonly written: boolean
}

/** Others may write at the same time; more often than this is no coincidence. */
const maxTries = 10

export async function lookAt(store: PinStore, key: PinKey, served: SourceSnapshot): Promise<Look> {
  for (let tries = 0; tries < maxTries; tries++) {
    const pin = await store.get(key)
    const report = judgePin(key, pin, served)
    if (pin === undefined || pin.kind !== 'openapi' || store.reviewed === true) return { pin, report, written: false }
    const drifted = foundIn(report, served)
    if (JSON.stringify(drifted) === JSON.stringify(pin.drifted ?? [])) return { pin, report, written: true }
    const { drifted: _before, ...kept } = pin
    const next = { ...kept, revision: pin.revision + 1, ...(drifted.length === 0 ? {} : { drifted }) }
    if (await store.save(next)) return { pin: next, report, written: true }
  }
  throw new Fault('packet_changed', 'Others write to the pin of this source all the time. Look again.')
}

/** What was never approved is held in any case. */
function foundIn({ drifts }: PinReport, served: SourceSnapshot): readonly FoundDrift[] {
  const hashes = new Map(served.tools.map((tool) => [tool.name, keptOf(tool, served.kind).hash]))
  return drifts
    .filter(({ change }) => change === 'changed' || change === 'removed')
    .map(({ tool, findings }) => {
      const hash = hashes.get(tool)
      const rules = [...new Set(findings.map(({ rule }) => rule))]
      return { name: tool, ...(hash === undefined ? {} : { hash }), rules }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
