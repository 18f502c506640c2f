// The next revision of a pin: what a person approves of what is served, everything or tool by tool. What stays as it was keeps the name of
// the person who approved it first.
import type { EpochMs } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin, PinKey, PinnedMalformed, PinnedTool } from '../../ledger/ports/pins.ts'
import type { SourceSnapshot } from '../snapshot.ts'
import { malformedHash, pinnedPart } from './pinned-source.ts'

export interface NextPinInput {
  readonly key: PinKey
  readonly pin: Pin | undefined
  readonly served: SourceSnapshot
  /** These alone; everything that is served unless given. */
  readonly tools?: readonly string[] | undefined
  readonly by: string
  readonly at: EpochMs
  readonly why?: string | undefined
  readonly place?: JsonObject | undefined
}

export type NextPin =
  | { readonly kind: 'pin'; readonly pin: Pin }
  /** Everything that the person names is approved already. */
  | { readonly kind: 'unchanged' }
  /** The last look saw something else than what is approved here; approving would forget that. */
  | { readonly kind: 'outdated'; readonly names: readonly string[] }
  /** Neither served nor approved, or nothing that can be pinned. */
  | { readonly kind: 'unknown'; readonly names: readonly string[] }

export function nextPin({ key, pin, served, tools: wanted, by, at, why, place }: NextPinInput): NextPin {
  const { kind } = served
  if (kind !== 'mcp' && kind !== 'openapi') return { kind: 'unknown', names: [] }
  const old = new Map(pin?.tools.map((tool) => [tool.name, tool]))
  const now = new Map(served.tools.map((tool) => [tool.name, pinnedPart(tool, kind)]))
  const broken = served.malformed.map(({ name, raw }): PinnedMalformed => ({ name, hash: malformedHash(raw), raw }))
  const oldBroken = pin?.malformed ?? []
  const known = new Set([...old.keys(), ...now.keys(), ...broken.map(({ name }) => name)])
  const unknown = (wanted ?? []).filter((name) => !known.has(name))
  if (unknown.length > 0) return { kind: 'unknown', names: unknown }
  const isWanted = (name: string) => wanted === undefined || wanted.includes(name)
  const tools = new Map<string, PinnedTool>()
  for (const [name, tool] of old) if (!isWanted(name)) tools.set(name, tool)
  for (const [name, tool] of now) {
    if (!isWanted(name)) continue
    const before = old.get(name)
    const approval = { approvedBy: by, approvedAt: at, ...(why === undefined ? {} : { why }) }
    tools.set(name, before?.hash === tool.hash ? before : { ...tool, ...approval })
  }
  const malformed = [...oldBroken.filter(({ name }) => !isWanted(name)), ...broken.filter(({ name }) => isWanted(name))]
  const found = Map.groupBy(pin?.drifted ?? [], ({ name }) => isWanted(name))
  const unseen = (found.get(true) ?? []).filter(({ name, hash }) => hash !== now.get(name)?.hash)
  if (unseen.length > 0) return { kind: 'outdated', names: unseen.map(({ name }) => name) }
  const drifted = found.get(false) ?? []
  const seat = place ?? pin?.place
  const next: Pin = {
    source: key.source,
    capabilities: key.capabilities,
    kind,
    ...(seat === undefined ? {} : { place: seat }),
    revision: (pin?.revision ?? 0) + 1,
    tools: [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    malformed: malformed.sort((a, b) => (a.hash < b.hash ? -1 : 1)),
    ...(drifted.length === 0 ? {} : { drifted }),
  }
  return pin !== undefined && fingerprint(pin) === fingerprint(next)
    ? { kind: 'unchanged' }
    : { kind: 'pin', pin: next }
}

const fingerprint = ({ tools, malformed, place, drifted = [] }: Pin): string =>
  JSON.stringify([
    tools.map(({ name, hash }) => [name, hash]).sort(),
    malformed.map(({ hash }) => hash).sort(),
    place,
    drifted.map(({ name }) => name),
  ])
