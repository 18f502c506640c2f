// The fields that an input schema declares for one of its objects, wherever in place it does so. Used to see that a grant says
// something about every one of them; whether what it says fits is for the prover.

import { hashJson } from '../../json/hash.ts'
import { tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { branchesOf, schemasInForce } from '../../schema/subschemas.ts'

export interface InputField {
  /** What the field has to obey, as far as it can be said without its neighbours. */
  readonly schema: NormalSchema
  /** `branch`: only where some alternative of the schema applies. */
  readonly required: 'always' | 'branch' | 'never'
}

export function inputFields(root: NormalSchema, input: Preprocessed): ReadonlyMap<string, InputField> {
  const always = schemasInForce([root], input)
  const branches = alternatives(always, input)
  const names = new Set([...always, ...branches].flatMap((node) => Object.keys(node.properties ?? {})))
  const fields = new Map<string, InputField>()
  for (const name of names) {
    const [own, other] = [declarations(always, name), declarations(branches, name)]
    const isRequiredBy = (nodes: readonly NormalObject[]) => nodes.some(({ required }) => required?.includes(name))
    fields.set(name, {
      schema: own.length > 0 ? joined('allOf', own) : joined('anyOf', other),
      required: isRequiredBy(always) ? 'always' : isRequiredBy(branches) ? 'branch' : 'never',
    })
  }
  return fields
}

/** Whether no valid input lacks the field. */
export function isAlwaysGiven(pointer: string, input: Preprocessed): boolean {
  let root = input.root
  for (const name of tokensOf(pointer)) {
    const field = inputFields(root, input).get(name)
    if (field?.required !== 'always') return false
    root = field.schema
  }
  return true
}

/** The document with another root, for questions about one field. */
export function rooted(root: NormalSchema, input: Preprocessed): Preprocessed {
  // The normal form is JSON, which its interface types do not show.
  return { ...input, root, hash: hashJson(['grant', input.hash, root] as unknown as JsonValue) }
}

function declarations(nodes: readonly NormalObject[], name: string): readonly NormalSchema[] {
  return nodes.flatMap(({ properties }) => {
    const found = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
    return found === undefined ? [] : [found]
  })
}

function joined(word: 'allOf' | 'anyOf', schemas: readonly NormalSchema[]): NormalSchema {
  const [first = true] = schemas
  if (schemas.length < 2) return first
  return word === 'allOf' ? { allOf: schemas } : { anyOf: schemas }
}

/** Everything that may apply to the same value beside that. */
function alternatives(always: readonly NormalObject[], input: Preprocessed): readonly NormalObject[] {
  const found = new Set<NormalObject>()
  const open = [...always]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const part of schemasInForce(branchesOf(node), input)) {
      if (found.has(part)) continue
      found.add(part)
      open.push(part)
    }
  }
  return [...found]
}
