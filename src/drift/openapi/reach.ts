// One hash for everything that an operation says and refers to: its path, shared parameters, bodies and responses, servers, security
// schemes. What is derived from them leaves out how an argument travels, and a change of that is one as well.
import { hashFields, hashJson } from '../../json/hash.ts'
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { createClosure, type HashedPart } from './closure.ts'
import { localPointer, type OpenApiDocument } from './document.ts'
import type { Operation } from './operations.ts'
import { schemeNamed } from './security.ts'

/** Stands for every part that has a name of its own. No pointer reads like this. */
const named = 'named'

/** Shared parts are read once, however many operations refer to them. */
export function createReach(document: OpenApiDocument): (operation: Operation) => string {
  const { root } = document
  const closureOf = createClosure((name) =>
    partOf(root, name === named ? namedParts(root) : (readPointer(root, name) ?? null)),
  )
  return (operation) => {
    const own = partOf(root, ownOf(document, operation))
    return hashFields('openapi-reach', [own.hash, ...own.references.map(closureOf).sort()])
  }
}

function ownOf(document: OpenApiDocument, { value, above, servers, security }: Operation): JsonValue {
  const schemes = new Set(security.flatMap((requirement) => Object.keys(requirement)))
  const { consumes = null, produces = null, jsonSchemaDialect = null } = document.root
  return [
    value,
    above,
    servers,
    [...schemes].sort().map((name) => [name, schemeNamed(document, name) ?? null]),
    // How every schema is read.
    [document.version, jsonSchemaDialect],
    // Of 2.0, where an operation that does not say which media it takes takes those of the document.
    document.version === '2.0' ? [consumes, produces] : [],
  ]
}

function partOf(root: JsonObject, value: JsonValue): HashedPart {
  const references = new Set<string>()
  eachObject(value, (here) => {
    for (const reference of [here.$ref, here.$dynamicRef, ...mappedBy(here.discriminator)]) {
      if (typeof reference !== 'string') continue
      const target = localPointer(reference)
      if (target !== undefined) references.add(target)
      // By an anchor or an id, which any part of the document may have given itself.
      if (target === undefined || readPointer(root, target) === undefined) references.add(named)
    }
    return true
  })
  return { hash: hashJson(value), references: [...references] }
}

const nameWords = ['$id', '$anchor', '$dynamicAnchor'] as const

/** The outermost ones: they hold the others. */
function namedParts(root: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = []
  eachObject(Object.values(root), (here) => {
    const isNamed = nameWords.some((word) => typeof here[word] === 'string')
    if (isNamed) found.push(here)
    return !isNamed
  })
  return found
}

/** A discriminator names schemas by reference, or by their name alone. */
function mappedBy(discriminator: JsonValue | undefined): readonly JsonValue[] {
  if (!isObject(discriminator)) return []
  const { mapping, defaultMapping = null } = discriminator
  return [...(isObject(mapping) ? Object.values(mapping) : []), defaultMapping].map((name) =>
    typeof name === 'string' && /^[A-Za-z0-9._-]+$/.test(name) ? `#/components/schemas/${name}` : name,
  )
}

/** Goes on into an object unless it is told not to. */
function eachObject(value: JsonValue, see: (here: JsonObject) => boolean): void {
  if (Array.isArray(value)) for (const item of value as readonly JsonValue[]) eachObject(item, see)
  else if (isObject(value) && see(value)) for (const inner of Object.values(value)) eachObject(inner, see)
}
