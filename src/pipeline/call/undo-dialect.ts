// Takes back what a provider's dialect made the model write, between reading and hashing: the same operation has the same hash, whichever
// provider proposed it. The change is a mutation on record, and by that record it is made again, also where the tables have changed.
import type { Mutation } from '../../contract/call/call.ts'
import type { OpenedCall } from '../../contract/call/stages.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { hashJson } from '../../json/hash.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { isProvider, type Provider } from '../../surface/dialects/dialect-table.ts'
import { removeNulls, undoNulls } from '../../surface/projection/null-for-absent.ts'

const prefix = 'dialect '

type Undone = Pick<OpenedCall, 'undone' | 'inputHash' | 'mutations'>

/** What changes of a call whose model was shown its tools in that dialect; undefined where nothing does. */
export function undoDialect(
  { reading, inputHash: fromHash, mutations }: OpenedCall,
  tool: Tool | undefined,
  dialect: Provider | undefined,
): Undone | undefined {
  if (dialect !== 'openai' || !reading.ok || !isObject(reading.value) || !reading.canonical.includes('null'))
    return undefined
  const undone = tool === undefined ? undefined : undoNulls(reading.value, tool.input.form)
  if (undone === undefined) return undefined
  const inputHash = hashJson(undone.value)
  const mutation: Mutation = {
    by: `${prefix}${dialect}`,
    reason: 'null for an argument that may be absent',
    fields: undone.removed,
    fromHash,
    toHash: inputHash,
  }
  return { undone: undone.value, inputHash, mutations: [...mutations, mutation] }
}

const isOfDialect = ({ by }: Mutation) => by.startsWith(prefix)

/** The arguments of a recorded call as they were judged. */
export function recordedInput(emitted: JsonObject, mutations: readonly Mutation[]): JsonObject {
  const own = mutations.filter(isOfDialect)
  return own.length === 0
    ? emitted
    : removeNulls(
        emitted,
        own.flatMap(({ fields }) => fields),
      )
}

/** The same for a call that is decided again. */
export function undoRecorded({ reading }: OpenedCall, mutations: readonly Mutation[]): Undone | undefined {
  const own = mutations.filter(isOfDialect)
  if (own.length === 0 || !reading.ok || !isObject(reading.value)) return undefined
  const undone = recordedInput(reading.value, own)
  return { undone, inputHash: hashJson(undone), mutations: own }
}

/** What is on record, and what undoing the dialect of this proposal added to it. */
export function withDialect(recorded: readonly Mutation[], own: readonly Mutation[]): readonly Mutation[] {
  const added = own.filter((mutation) => isOfDialect(mutation) && !recorded.some((known) => isSame(known, mutation)))
  return added.length === 0 ? recorded : [...recorded, ...added]
}

const isSame = (one: Mutation, other: Mutation) => one.by === other.by && one.fromHash === other.fromHash

/** What the context of a recorded call said of its dialect. */
export function dialectContext(mutations: readonly Mutation[]): { readonly dialect?: Provider } {
  const dialect = mutations.find(isOfDialect)?.by.slice(prefix.length)
  return isProvider(dialect) ? { dialect } : {}
}
