// Which tools of others may not be called now, because what is served is not what a person approved. Looked at before every call is sent,
// by hash; approvals that other processes write down count within seconds. Invariant: what was never approved is never let through.

import type { Upstream } from '../../contract/tool/executor.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { Clock } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { FoundDrift, Pin, PinStore } from '../../ledger/ports/pins.ts'
import type { PinReport } from './judge-pin.ts'
import { hashOfEntry, isUsualSize, readServed } from './read-served.ts'

export interface Quarantine {
  /** Watches the tool from now on, if it has an upstream. */
  watch(tool: Tool): void
  /** Why the tool may not be called; undefined where it may. */
  noteOf(tool: Tool): string | undefined
  /** Grows with every change, so that a kept surface can be seen to be old. */
  readonly changes: number
  /** Takes in what people have approved meanwhile; undefined where there is nothing to look up. */
  refresh(): Promise<void> | undefined
  /** Before a call is sent: the entry that the server lists. Gives the note where it is not the approved one. */
  vet(upstream: Upstream, served: unknown): Promise<string | undefined>
  /** The same where a call sees no entry: by what people have approved and what looks have found, a few seconds ago at most. */
  vetUnseen(upstream: Upstream): Promise<string | undefined>
  /** What a look at all that is served has found, where it is not written down with the pin; hashes by name. */
  take(report: PinReport, served: Hashes, approved: Hashes): void
  /** Reads the pin of a source anew, now. */
  reload(source: string): Promise<void>
}

type Hashes = ReadonlyMap<string, string>

interface Held {
  readonly upstream: Upstream
  readonly note: string
  /** What was served; undefined where that was never seen or cannot be read. */
  readonly hash: string | undefined
  /** What was approved then. */
  readonly approved?: string | undefined
  /** It is written down with the pin, and is over when it is no longer there. */
  readonly written?: boolean
}

interface Read {
  readonly pin: Pin | undefined
  readonly hashes: Hashes
  readonly drifted: ReadonlyMap<string, FoundDrift>
  readonly at: number
  /** In the order in which the reads began: an earlier read says nothing new. */
  readonly turn: number
}

/** As our own connections declare them. */
export const noCapabilities: JsonObject = {}
const freshMs = 5_000

export interface QuarantineInput {
  readonly store: Pick<PinStore, 'get'>
  readonly clock: Clock
}

export function createQuarantine({ store, clock }: QuarantineInput): Quarantine {
  /** By key: an agent that defines its tools anew for every session adds none. */
  const upstreams = new Map<string, Upstream>()
  /** Sources of which nothing was read yet. */
  const unread = new Set<string>()
  const reads = new Map<string, Read>()
  const held = new Map<string, Held>()
  /** Entries stay the same objects for as long as a connection keeps its list. */
  const hashes = new WeakMap<object, string>()
  let changes = 0
  let turns = 0

  const isFresh = (known: Read | undefined) => known !== undefined && clock.monotonic() - known.at < freshMs
  const read = async (source: string): Promise<Read> => {
    const turn = ++turns
    // What is read is as old as the question, however long the answer takes.
    const at = clock.monotonic()
    const pin = await store.get({ source, capabilities: noCapabilities }, reads.get(source)?.pin)
    const newer = reads.get(source)
    if (newer !== undefined && newer.turn > turn) return newer
    const drifted = new Map(pin?.drifted?.map((drift) => [drift.name, drift]))
    const found = { pin, hashes: hashesOf(pin), drifted, at, turn }
    reads.set(source, found)
    unread.delete(source)
    for (const upstream of upstreams.values()) if (upstream.source === source) compare(upstream, found)
    return found
  }
  const current = (source: string): Read | Promise<Read> => {
    const known = reads.get(source)
    return known !== undefined && isFresh(known) ? known : read(source)
  }
  const hold = (entry: Held) => {
    const key = upstreamKey(entry.upstream)
    const known = held.get(key)
    held.set(key, entry)
    if (known?.note !== entry.note || known.hash !== entry.hash) changes++
  }
  const release = (upstream: Upstream) => {
    if (held.delete(upstreamKey(upstream))) changes++
  }
  /** Lets it go where it is approved by now as it was last served; holds what was never approved or is on record as another one. */
  const compare = (upstream: Upstream, { drifted, hashes: approved }: Read) => {
    const hash = approved.get(upstream.tool)
    const entry = held.get(upstreamKey(upstream))
    const drift = drifted.get(upstream.tool)
    if (hash === undefined) {
      if (entry === undefined) hold({ upstream, note: unapproved(upstream), hash: undefined })
    } else if (drift !== undefined) {
      hold({ upstream, note: noteOn(upstream, drift.rules), hash: drift.hash, approved: hash, written: true })
    } else if (entry !== undefined && isOver(entry, hash)) release(upstream)
  }
  let refreshing: Promise<void> | undefined
  return {
    watch({ binding: { executor } }) {
      const { upstream } = executor
      if (upstream === undefined) return
      upstreams.set(upstreamKey(upstream), upstream)
      unread.add(upstream.source)
      const known = reads.get(upstream.source)
      if (known !== undefined) compare(upstream, known)
    },
    noteOf: ({ binding: { executor } }) =>
      executor.upstream === undefined ? undefined : held.get(upstreamKey(executor.upstream))?.note,
    get changes() {
      return changes
    },
    refresh() {
      if (held.size === 0 && unread.size === 0) return undefined
      const stale = new Set(unread)
      for (const { upstream } of held.values()) if (!isFresh(reads.get(upstream.source))) stale.add(upstream.source)
      if (stale.size === 0) return undefined
      refreshing ??= Promise.all([...stale].map(read))
        .then(() => undefined)
        .finally(() => {
          refreshing = undefined
        })
      return refreshing
    },
    async vet(upstream, served) {
      const { pin, hashes: approved } = await current(upstream.source)
      const hash = hashIn(hashes, served)
      const wanted = approved.get(upstream.tool)
      if (hash !== undefined && hash === wanted) {
        release(upstream)
        return undefined
      }
      const known = held.get(upstreamKey(upstream))
      const isKnown = hash !== undefined && known?.hash === hash && known.approved === wanted && known.written !== true
      const note =
        wanted === undefined ? unapproved(upstream) : isKnown ? known.note : await differs(upstream, pin, served)
      hold({ upstream, note, hash, approved: wanted })
      return note
    },
    async vetUnseen(upstream) {
      const known = await current(upstream.source)
      const key = upstreamKey(upstream)
      // A state reader is no tool, so watch() was never called for it.
      if (!upstreams.has(key)) {
        upstreams.set(key, upstream)
        compare(upstream, known)
      }
      // A list of tools that has an entry of this name says nothing of the operation, and no look writes down what became of it.
      if (known.pin !== undefined && known.pin.kind !== 'openapi') return unapproved(upstream)
      return held.get(key)?.note
    },
    take({ source, drifts }, served, approved) {
      const drifted = new Map(drifts.map((drift) => [drift.tool, drift]))
      for (const upstream of upstreams.values()) {
        if (upstream.source !== source) continue
        const drift = drifted.get(upstream.tool)
        if (drift === undefined) {
          // Neither served nor approved: no person has looked at it.
          if (served.has(upstream.tool)) release(upstream)
          else hold({ upstream, note: unapproved(upstream), hash: undefined })
        } else {
          const note =
            drift.change === 'added'
              ? unapproved(upstream)
              : noteOn(
                  upstream,
                  drift.findings.map(({ rule }) => rule),
                )
          hold({ upstream, note, hash: served.get(upstream.tool), approved: approved.get(upstream.tool) })
        }
      }
    },
    async reload(source) {
      await read(source)
    },
  }
}

/** Approved as it was served; found as approved by a later look; or another approval came since, and the next look judges it. */
const isOver = ({ upstream, note, hash, approved, written }: Held, now: string): boolean =>
  hash === now || note === unapproved(upstream) || written === true || approved !== now

export const hashesOf = (pin: Pin | undefined): Hashes => new Map(pin?.tools.map(({ name, hash }) => [name, hash]))

/** A call waits for no more of the prover than this. The look of a person has the whole allowance. */
const stepsOfACall = 5_000

/**
 * The prover explains; it is loaded when there is something to explain. Beyond the size of a usual tool it is not asked: the author of the
 * definition could keep this process from all its other work.
 */
async function differs(upstream: Upstream, pin: Pin | undefined, served: unknown): Promise<string> {
  const approved = pin?.tools.find(({ name }) => name === upstream.tool)?.raw
  if (!isUsualSize(served) || !isUsualSize(approved)) return noteOn(upstream, [])
  const only = pin && { ...pin, tools: pin.tools.filter(({ name }) => name === upstream.tool), malformed: [] }
  const source = readServed(Array.isArray(served) ? served : [served])
  if (source === undefined) return noteOn(upstream, [])
  const key = { source: upstream.source, capabilities: noCapabilities }
  const { judgePin } = await import('./judge-pin.ts')
  const { drifts } = await judgePin(key, only, source, stepsOfACall)
  return noteOn(
    upstream,
    drifts.flatMap(({ findings }) => findings.map(({ rule }) => rule)),
  )
}

const upstreamKey = ({ source, tool }: Upstream): string => JSON.stringify([source, tool])

/** A model reads these: they name rules and commands, and nothing that the other side wrote. */
const unapproved = ({ source, tool }: Upstream): string =>
  `Quarantined: no person has approved the tool ${tool} of ${source}. A person looks at it with \`proviso drift check\` and approves it.`

function noteOn({ source, tool }: Upstream, rules: readonly string[]): string {
  const named = rules.length === 0 ? '' : ` (${[...new Set(rules)].join(', ')})`
  return (
    `Quarantined: what ${source} serves as ${tool} is no longer what a person approved${named}. ` +
    'A person looks at the change with `proviso drift check` and approves it, or not.'
  )
}

function hashIn(known: WeakMap<object, string>, served: unknown): string | undefined {
  if (typeof served !== 'object' || served === null) return undefined
  const kept = known.get(served)
  if (kept !== undefined) return kept
  const hash = hashOfEntry(served)
  if (hash !== undefined) known.set(served, hash)
  return hash
}
