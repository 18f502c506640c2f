// call_input: what the executor gets. The model's own values, unless the schema library made something of them; where it did, that is a
// mutation on record.
import type { Mutation } from '../../contract/call/call.ts'
import type { JudgedCall, ResolvedCall } from '../../contract/call/stages.ts'
import { copyParsed } from '../../json/copy.ts'
import { hashJson } from '../../json/hash.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import type { Gives } from '../phase.ts'

/** A library's output; `kept` where only the record has it. */
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
