// One hash for everything that an operation says and refers to: parameters of its path, shared bodies and responses, security schemes. What
// is derived from them leaves out how an argument travels, and a change of that is one as well.
import { hashFields, hashJson } from '../../json/hash.ts'
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { localPointer, type OpenApiDocument } from './document.ts'
import type { Operation } from './operations.ts'
import { schemeNamed } from './security.ts'

interface Part {
  readonly hash: string
  readonly references: readonly string[]
}

/** Shared parts are read once, however many operations refer to them. */
export function createReach(document: OpenApiDocument): (operation: Operation) => string {
  const parts = new Map<string, Part>()
  const partAt = (pointer: string): Part => {
    const known = parts.get(pointer)
    if (known !== undefined) return known
    const part = partOf(readPointer(document.root, pointer) ?? null)
    parts.set(pointer, part)
    return part
  }
  return (operation) => {
    const own = partOf(ownOf(document, operation))
    const reached = new Set(own.references)
    // Grows while it is walked.
    for (const pointer of reached) for (const further of partAt(pointer).references) reached.add(further)
    const shared = [...reached].sort().flatMap((pointer) => [pointer, partAt(pointer).hash])
    return hashFields('openapi-reach', [own.hash, ...shared])
  }
}

function ownOf(document: OpenApiDocument, { value, parameters, security }: Operation): JsonValue {
  const schemes = new Set(security.flatMap((requirement) => Object.keys(requirement)))
  const { consumes = null, produces = null } = document.root
  return [
    value,
    parameters.map((parameter) => parameter.value),
    [...schemes].sort().map((name) => [name, schemeNamed(document, name) ?? null]),
    // Of 2.0, where an operation that does not say which media it takes takes those of the document.
    document.version === '2.0' ? [consumes, produces] : [],
  ]
}

function partOf(value: JsonValue): Part {
  const references = new Set<string>()
  const visit = (here: JsonValue): void => {
    if (Array.isArray(here)) for (const item of here as readonly JsonValue[]) visit(item)
    else if (isObject(here)) {
      const target = typeof here.$ref === 'string' ? localPointer(here.$ref) : undefined
      if (target !== undefined) references.add(target)
      for (const inner of Object.values(here)) visit(inner)
    }
  }
  visit(value)
  return { hash: hashJson(value), references: [...references] }
}
