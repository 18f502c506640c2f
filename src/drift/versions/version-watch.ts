// What this process knows of the decisions in the ledger: read at most a second ago, and added one at a time. A new decision is made with
// all earlier decisions read.
import { holdsInstallationRole, type Identified } from '../../contract/approval/identity.ts'
import { Fault } from '../../contract/fault.ts'
import type { VersionChange, VersionDecision } from '../../contract/release/version-decision.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Clock } from '../../json/clock.ts'
import { type Entropy, uuidv7 } from '../../json/id.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { type InForce, nothingDecided, withDecision } from './in-force.ts'

/** A decision holds in every process for calls that begin this much later. */
export const refreshMs = 1_000
/** Another decision may come first; so many in a row do not. */
const maxTries = 20
const maxWords = 2_000

/** Who decides, and why: both are recorded. */
export interface DecisionNote {
  readonly by: string
  readonly why: string
}

export interface VersionWatch {
  /** As it was last read. */
  known(): InForce
  /** Read at most `refreshMs` ago. */
  fresh(): Awaitable<InForce>
  history(): Promise<readonly VersionDecision[]>
  /** Where another decision comes first, `make` is called again with the new state. */
  decide(said: DecisionNote, make: (state: InForce) => VersionChange): Promise<InForce>
}

export interface WatchInput {
  readonly ledger: Pick<Ledger, 'versions' | 'durability'>
  readonly clock: Clock
  readonly entropy: Entropy
  readonly report: (fault: unknown) => void
}

export function createVersionWatch({ ledger, clock, entropy, report }: WatchInput): VersionWatch {
  const store = ledger.versions
  let history: readonly VersionDecision[] = []
  let state = nothingDecided
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<InForce> | undefined

  const take = (decisions: readonly VersionDecision[], askedAt: number): InForce => {
    for (const decision of decisions) {
      if (decision.seq !== state.seq + 1) continue
      state = withDecision(state, decision)
      history = [...history, decision]
    }
    readAt = Math.max(readAt, askedAt)
    return state
  }

  const read = (): Awaitable<InForce> => {
    const askedAt = clock.monotonic()
    const found = store.decisions(state.seq)
    return found instanceof Promise ? found.then((decisions) => take(decisions, askedAt)) : take(found, askedAt)
  }

  return {
    known: () => state,
    fresh() {
      if (ledger.durability === 'ephemeral') return read()
      if (clock.monotonic() - readAt < refreshMs) return state
      reading ??= Promise.resolve(read())
        // A call that needs a ledger that does not answer reports so; until then the last known state holds.
        .catch((fault: unknown) => {
          report(fault)
          return state
        })
        .finally(() => {
          reading = undefined
        })
      return reading
    },
    async history() {
      await read()
      return history
    },
    async decide(said, make) {
      const { by, why } = checked(said)
      const id = uuidv7(clock.now(), entropy)
      const isMine = () => history.some((decision) => decision.id === id)
      for (let tries = 0; tries < maxTries; tries++) {
        const { seq } = await read()
        if (isMine()) return state
        const change = make(state)
        try {
          await store.decide({ seq: seq + 1, id, by, why, change })
        } catch (fault) {
          // It may have been written before the connection was cut.
          await read()
          if (!isMine()) throw fault
        }
      }
      throw new Fault('internal', 'Other decisions about versions came first every time; nothing was changed.')
    },
  }
}

const deciderRole = 'operator'

/** Throws where the person may not decide about versions. A role within a tenant does not count: versions hold for every tenant. */
export function checkVersionDecider(person: Identified): void {
  if (!holdsInstallationRole(person, deciderRole))
    throw new Fault('not_permitted', `Deciding about versions takes the role ${deciderRole} of the installation.`)
}

function checked(said: DecisionNote): DecisionNote {
  for (const name of ['by', 'why'] as const) {
    const words: unknown = said?.[name]
    if (typeof words !== 'string' || words.trim() === '' || words.length > maxWords || !words.isWellFormed())
      throw new Fault('bad_options', `Say ${name === 'by' ? 'who decides' : 'why'}: ${name} is recorded.`)
  }
  return said
}
