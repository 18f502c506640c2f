// The changes that are made to the arguments; each is a mutation on record. A provider's dialect is taken back between reading and
// hashing: the same operation has the same hash, whichever provider proposed it. What the executor gets, call_input, is the model's own
// values, unless the schema library made something of them.
import type { Mutation } from '../../contract/call/call.ts'
import type { JudgedCall, OpenedCall, ResolvedCall } from '../../contract/call/stages.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { copyParsed } from '../../json/copy.ts'
import { hashJson } from '../../json/hash.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { isProvider, type Provider } from '../../surface/dialects/dialect-table.ts'
import { removeNulls, undoNulls } from '../../surface/projection/null-for-absent.ts'
import type { Gives } from '../phase.ts'

const prefix = 'dialect '

type Undone = Pick<OpenedCall, 'undone' | 'inputHash' | 'mutations'>

/** The changes to a call whose model was shown its tools in that dialect; undefined where there are none. */
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

/** What was made of the arguments of a call that is on record, and the hash that it is known by. */
export interface RecordedInput {
  readonly mutations: readonly Mutation[]
  readonly inputHash: string
}

/** The same for a call that is decided again. */
export function undoRecorded({ reading }: OpenedCall, { mutations, inputHash }: RecordedInput): Undone | undefined {
  const own = mutations.filter(isOfDialect)
  if (own.length === 0 || !reading.ok || !isObject(reading.value)) return undefined
  const undone = recordedInput(reading.value, own)
  return { undone, inputHash, mutations: own }
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

/** A schema library's output; `kept` where only the record has it. */
export type LibraryOutput = { readonly value: unknown } | 'kept'

type CallInputGives = Gives<JudgedCall, 'callInput' | 'callJson', 'mutations' | 'keptCallInput'>
type Given = Pick<ResolvedCall, 'permissionInput' | 'keptCallInput' | 'mutations'>

export function callInputOf(call: Given, output: LibraryOutput | undefined): CallInputGives {
  const { permissionInput: input } = call
  if (output === undefined) return { callInput: input, callJson: input }
  const value = output === 'kept' ? (call.keptCallInput ?? input) : output.value
  const copy = copyParsed(value, { toJson: true })
  const json = copy.ok && isObject(copy.value) ? copy.value : undefined
  const fromHash = hashJson(input)
  const toHash = json === undefined ? 'not-json' : hashJson(json)
  if (toHash === fromHash) return { callInput: value, callJson: input }
  const fields = json === undefined ? [] : changedKeys(input, json)
  const mutation: Mutation = {
    by: 'schema library',
    reason: 'transformed by its own validate',
    fields,
    fromHash,
    toHash,
  }
  const known = call.mutations.some((one) => one.fromHash === fromHash && one.toHash === toHash)
  const mutations = known ? call.mutations : [...call.mutations, mutation]
  // What is plain JSON is kept and used again, so that a generated value stays the one that people approved.
  const plain = copyParsed(value)
  const kept = plain.ok && isObject(plain.value) ? { keptCallInput: plain.value } : {}
  return { callInput: value, callJson: json ?? input, mutations, ...kept }
}

function changedKeys(from: JsonObject, to: JsonObject): readonly string[] {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...keys].filter((key) => hashJson(from[key] ?? null) !== hashJson(to[key] ?? null))
}
