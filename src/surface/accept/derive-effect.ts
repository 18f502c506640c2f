// Effect: prints every struct as open, though its decoder drops what is not declared, and prints JSON forms (a date as
// a string) that only a JSON codec decodes. The first is undone; the second is refused with what to write.
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { mapSubschemas } from '../schema-positions.ts'
import { isReadable, type LibraryDerivation, type Readable, type SchemaDirection } from './derivation.ts'
import type { Unconvertible } from './unconvertible.ts'

const wrapping = 'Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.toCodecJson(schema)))'

export const effectDerivation: LibraryDerivation = {
  unwrapped: `give ${wrapping}`,
  unvalidated: `give ${wrapping}, so that its checks and transformations run too`,
  misfit: (schema, direction) => {
    const ast = isReadable(schema) ? schema.ast : undefined
    return findMisfit(ast, direction, '', new Set())
  },
  amend,
}

/** What Effect calls a schema, wrapped or not: the mark of version 4, or that of version 3. */
export function isEffectSchema(value: unknown): boolean {
  return isReadable(value) && ('~effect/Schema/Schema' in value || Symbol.for('effect/Schema') in value)
}

const notJson: ReadonlySet<string> = new Set(['BigInt', 'Symbol', 'UniqueSymbol', 'Undefined', 'Void'])

/** The first node whose value is not JSON: on the encoded side for inputs, on the decoded side for outputs. */
function findMisfit(
  node: unknown,
  side: SchemaDirection,
  pointer: string,
  seen: Set<unknown>,
): Unconvertible | undefined {
  if (!isReadable(node) || seen.has(node)) return undefined
  seen.add(node)
  const { encoding, _tag: tag } = node
  if (side === 'input' && Array.isArray(encoding) && encoding.length > 0) {
    return findMisfit(encoding.at(-1).to, side, pointer, seen)
  }
  if (typeof tag !== 'string') return undefined
  if (notJson.has(tag) || (tag === 'Declaration' && !declaresJson(node))) {
    const advice = side === 'input' ? `; give ${wrapping}` : ''
    return { pointer, what: `the value there is ${nodeName(node, tag)}, not JSON${advice}` }
  }
  for (const [child, place] of childrenOf(node, tag, pointer)) {
    const found = findMisfit(child, side, place, seen)
    if (found !== undefined) return found
  }
  return undefined
}

function childrenOf(node: Readable, tag: string, pointer: string): readonly (readonly [unknown, string])[] {
  const at = (...tokens: readonly (string | number)[]) => tokens.reduce<string>(appendPointer, pointer)
  switch (tag) {
    case 'Suspend':
      return typeof node.thunk === 'function' ? [[node.thunk(), pointer]] : []
    case 'Union':
      // A missing value among alternatives only says that the key may be absent.
      return listIn(node.types).flatMap((type, index) => (isAbsence(type) ? [] : [[type, at('anyOf', index)] as const]))
    case 'Arrays':
      return [
        ...listIn(node.elements).map((type, index) => [type, at('prefixItems', index)] as const),
        ...listIn(node.rest).map((type) => [type, at('items')] as const),
      ]
    case 'Objects':
      return [
        ...listIn(node.propertySignatures).map((one) => [one.type, at('properties', String(one.name))] as const),
        ...listIn(node.indexSignatures).map((one) => [one.type, at('additionalProperties')] as const),
      ]
    default:
      return []
  }
}

function amend(document: JsonObject): JsonObject {
  const mapped = mapSubschemas(document, '', (child): JsonValue => (isObject(child) ? amend(child) : child))
  if (isAnyButNull(mapped)) {
    const { not: _not, ...rest } = mapped
    return { ...rest, type: 'object', properties: {} }
  }
  if (mapped.additionalProperties !== true) return mapped
  const { additionalProperties: _open, ...rest } = mapped
  return rest.properties === undefined && rest.patternProperties === undefined ? mapped : rest
}

/** How Effect prints a struct without fields: everything but null. Its author means an object without keys. */
function isAnyButNull(schema: JsonObject): boolean {
  return isObject(schema.not) && schema.not.type === 'null' && Object.keys(schema.not).length === 1
}

function isAbsence(node: unknown): boolean {
  return isReadable(node) && (node._tag === 'Undefined' || node._tag === 'Void') && node.encoding === undefined
}

function declaresJson(node: Readable): boolean {
  return /^effect\/schema\/(?:Mutable)?Json$/.test(representationOf(node))
}

function nodeName(node: Readable, tag: string): string {
  return representationOf(node).split('/').at(-1) || (tag === 'Declaration' ? 'an instance of a class' : tag)
}

function representationOf({ annotations }: Readable): string {
  const representation = isReadable(annotations) ? annotations.representation : undefined
  const id = isReadable(representation) ? representation.id : undefined
  return typeof id === 'string' ? id : ''
}

function listIn(value: unknown): readonly Readable[] {
  return Array.isArray(value) ? value.filter(isReadable) : []
}
