// Takes back what a provider's dialect made the model write, between reading and hashing: the same operation has the same hash, whichever
// provider proposed it. The change is a mutation on record, and by that record it is made again, whatever tables say by then.
import type { Call, Mutation } from '../../contract/call/call.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { hashJson } from '../../json/hash.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { isProvider, type Provider } from '../../surface/dialects/dialect-table.ts'
import { removeNulls, undoNulls } from '../../surface/projection/null-for-absent.ts'

const prefix = 'dialect '

export function undoDialect(call: Call, tool: Tool | undefined, dialect: Provider | undefined): Call {
  const { reading } = call
  if (dialect !== 'openai' || !reading.ok || !isObject(reading.value) || !reading.canonical.includes('null'))
    return call
  const undone = tool === undefined ? undefined : undoNulls(reading.value, tool.input.form)
  if (undone === undefined) return call
  const inputHash = hashJson(undone.value)
  const mutation: Mutation = {
    by: `${prefix}${dialect}`,
    reason: 'null for an argument that may be absent',
    fields: undone.removed,
    fromHash: call.inputHash ?? '',
    toHash: inputHash,
  }
  return { ...call, undone: undone.value, inputHash, mutations: [...call.mutations, mutation] }
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
export function undoRecorded(call: Call, mutations: readonly Mutation[]): Call {
  const own = mutations.filter(isOfDialect)
  if (own.length === 0 || !call.reading.ok || !isObject(call.reading.value)) return call
  const undone = recordedInput(call.reading.value, own)
  return { ...call, undone, inputHash: hashJson(undone), mutations: own }
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
