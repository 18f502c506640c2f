// Schemas of an OpenAPI document in JSON Schema 2020-12, for what goes in or for what comes out: read-only properties are left out of the
// one, write-only ones out of the other. Invariant: every definition is translated once, however many operations use it.
import { sha256 } from '../../json/hash.ts'
import { appendPointer, readPointer, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { keywordsOf } from '../../schema/read/dialects.ts'
import { localPointer, type OpenApiDocument, type OpenApiGap, remoteReference } from './document.ts'

export type SchemaSide = 'input' | 'output'

export interface Translation {
  readonly schema: JsonValue
  /** The definitions that it names. */
  readonly uses: ReadonlySet<string>
  readonly gaps: readonly OpenApiGap[]
}

export interface Translator {
  translate(schema: JsonValue | undefined, pointer: string): Translation
  /** A whole document of its own: the schema with every definition it leads to. */
  complete(
    schema: JsonObject,
    uses: Iterable<string>,
  ): { readonly schema: JsonObject; readonly gaps: readonly OpenApiGap[] }
}

const maxDefinitions = 5_000
/** Schemas that one allOf leads to. */
const maxParts = 200
/** Over all operations: where all of them lead to everything, their schemas would grow with the square of the document. */
const maxSteps = 5_000_000

interface Definition {
  readonly name: string
  translation?: Translation
}

export function createTranslator(document: OpenApiDocument, side: SchemaSide): Translator {
  const { root, version } = document
  const home = version === '2.0' ? '/definitions/' : '/components/schemas/'
  const isModern = version === '3.1'
  const keywords = keywordsOf(isModern ? '2020-12' : 'openapi-3.0')
  const hides = side === 'input' ? 'readOnly' : 'writeOnly'
  const definitions = new Map<string, Definition>()
  let steps = 0

  return { translate: (schema, pointer) => translated(schema, pointer), complete }

  function translated(given: JsonValue | undefined, place: string): Translation {
    const uses = new Set<string>()
    const gaps: OpenApiGap[] = []
    return { schema: schemaAt(given ?? true, place, new Set()), uses, gaps }

    function schemaAt(node: JsonValue, pointer: string, hidden: ReadonlySet<string>): JsonValue {
      if (typeof node === 'boolean') return node
      if (!isObject(node)) {
        gaps.push({ pointer, construct: 'schema', message: 'There is no schema here.' })
        return true
      }
      if (typeof node.$ref !== 'string') return objectAt(node, pointer, hidden)
      const reference = { $ref: referenceTo(node.$ref, pointer) }
      const { $ref: _reference, ...beside } = node
      return isModern && Object.keys(beside).length > 0
        ? { ...objectAt(beside, pointer, hidden), ...reference }
        : reference
    }

    function referenceTo(reference: string, pointer: string): string {
      const target = localPointer(reference)
      if (target !== undefined && readPointer(root, target) !== undefined) {
        uses.add(target)
        return `#/$defs/${definitionName(target)}`
      }
      gaps.push(
        target === undefined
          ? remoteReference(pointer, reference)
          : { pointer, construct: '$ref', message: 'The reference leads nowhere.' },
      )
      return `urn:proviso:unresolved:${encodeURIComponent(reference.slice(0, 200).toWellFormed())}`
    }

    function objectAt(node: JsonObject, pointer: string, above: ReadonlySet<string>): JsonObject {
      const hidden = new Set([...above, ...hiddenNames(node, new Set())])
      const out: [string, JsonValue][] = []
      for (const [word, value] of Object.entries(node)) {
        const kind = keywords.get(word)?.kind
        const at = appendPointer(pointer, word)
        switch (kind) {
          case 'schema-map':
          case 'pattern-map':
            out.push([word, mapAt(word, value, at, hidden)])
            break
          case 'schemas':
            out.push([
              word,
              Array.isArray(value)
                ? value.map((part: JsonValue, index) =>
                    schemaAt(part, `${at}/${index}`, word === 'allOf' ? hidden : new Set()),
                  )
                : value,
            ])
            break
          case 'schema':
            out.push([word, schemaAt(value, at, new Set())])
            break
          case 'names':
            out.push([
              word,
              Array.isArray(value) ? value.filter((name) => typeof name !== 'string' || !hidden.has(name)) : value,
            ])
            break
          case 'definitions':
            break
          case 'identity':
          case 'dynamic-reference':
            if (word !== '$schema' && word !== '$vocabulary') {
              gaps.push({
                pointer: at,
                construct: word,
                message: `${word} is not taken over from an OpenAPI document.`,
              })
            }
            if (kind === 'dynamic-reference') out.push([word, value])
            break
          default:
            if (!isModern && word === 'type' && value === 'file')
              gaps.push({
                pointer: at,
                construct: 'file',
                message: 'A file cannot be an argument or a result of a tool.',
              })
            if (isModern || kind !== undefined) out.push(...plain(word, value, node))
        }
      }
      return Object.fromEntries(out)
    }

    function mapAt(word: string, value: JsonValue, at: string, hidden: ReadonlySet<string>): JsonValue {
      if (!isObject(value)) return value
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => word !== 'properties' || !hidden.has(name))
          .map(([name, child]) => [name, schemaAt(child, appendPointer(at, name), new Set())]),
      )
    }
  }

  /** Words that hold no schema, in the words of 2020-12. */
  function plain(word: string, value: JsonValue, node: JsonObject): readonly [string, JsonValue][] {
    if (isModern) return [[word, value]]
    switch (word) {
      case 'type':
        if (value === 'file') return [['type', 'string']]
        return [
          ['type', node.nullable === true && typeof value === 'string' && value !== 'null' ? [value, 'null'] : value],
        ]
      case 'minimum':
        return [[node.exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum', value]]
      case 'maximum':
        return [[node.exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum', value]]
      case 'example':
        return [['examples', [value]]]
      case 'nullable':
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
      case 'xml':
      case 'externalDocs':
        return []
      default:
        return [[word, value]]
    }
  }

  /** Properties of this side's blind spot, also those that a part of an allOf describes. */
  function hiddenNames(node: JsonObject, seen: Set<JsonObject>): readonly string[] {
    // Parts may lead back to the whole, on more ways than could be walked.
    if (seen.has(node) || seen.size >= maxParts) return []
    seen.add(node)
    const own = isObject(node.properties) ? Object.entries(node.properties) : []
    const named = own.filter(([, child]) => isHidden(child)).map(([name]) => name)
    if (!Array.isArray(node.allOf)) return named
    return [
      ...named,
      ...node.allOf.flatMap((part: JsonValue) => {
        const read = document.resolve(part, '')
        return read.ok ? hiddenNames(read.value, seen) : []
      }),
    ]
  }

  function isHidden(child: JsonValue): boolean {
    if (!isObject(child)) return false
    if (child[hides] === true) return true
    if (typeof child.$ref !== 'string') return false
    const read = document.resolve(child, '')
    return read.ok && read.value[hides] === true
  }

  /** By its pointer alone: a name that depended on what else is used would change with operations that have nothing to do with it. */
  function definitionName(target: string): string {
    const known = definitions.get(target)
    if (known !== undefined) return known.name
    const base = (tokensOf(target).at(-1) ?? '').replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 80) || 'schema'
    // No name of a component has a dollar, so that none is taken for another.
    const name = target === `${home}${base}` ? base : `${base}$${sha256(target).slice(0, 32)}`
    definitions.set(target, { name })
    return name
  }

  function complete(schema: JsonObject, uses: Iterable<string>) {
    const gaps: OpenApiGap[] = []
    const reached = new Map<string, JsonValue>()
    const queue = [...uses]
    for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
      const definition = definitions.get(target)
      if (definition === undefined || reached.has(definition.name)) continue
      if (reached.size >= maxDefinitions || steps >= maxSteps) {
        gaps.push({
          pointer: target,
          construct: 'size',
          message:
            steps >= maxSteps
              ? 'The operations lead to more definitions than can be followed.'
              : `It leads to more than ${maxDefinitions} definitions.`,
        })
        break
      }
      definition.translation ??= translated(readPointer(root, target), target)
      reached.set(definition.name, definition.translation.schema)
      for (const gap of definition.translation.gaps) gaps.push(gap)
      for (const used of definition.translation.uses) queue.push(used)
      steps += 1 + definition.translation.uses.size
    }
    const sorted = [...reached].sort(([one], [other]) => (one < other ? -1 : 1))
    return { schema: sorted.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(sorted) }, gaps }
  }
}
