// An OpenAPI document, opened: which version it is, and local references followed. Nothing is ever fetched, and a reference that leads
// nowhere, in a circle or out of the document is named with its place.
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { exceededLimit } from '../../schema/preprocess.ts'

/** 2.0 is what was called Swagger; from 3.1 on schemas are JSON Schema 2020-12. */
export type OpenApiVersion = '2.0' | '3.0' | '3.1'

/** What could not be taken over from the document, and where. */
export interface OpenApiGap {
  readonly pointer: string
  readonly construct: string
  readonly message: string
}

export type ReferenceReading =
  | { readonly ok: true; readonly value: JsonObject; readonly pointer: string }
  | { readonly ok: false; readonly gap: OpenApiGap }

export interface OpenApiDocument {
  readonly version: OpenApiVersion
  readonly root: JsonObject
  /** The object itself, or what its chain of references leads to. */
  resolve(value: JsonValue | undefined, pointer: string): ReferenceReading
}

export type DocumentOpening =
  | { readonly ok: true; readonly document: OpenApiDocument }
  | { readonly ok: false; readonly pointer: string; readonly message: string }

/** Undefined for what is no OpenAPI document. */
export function openApiVersion(value: JsonValue): OpenApiVersion | undefined {
  if (!isObject(value)) return undefined
  if (value.swagger === '2.0' || value.swagger === 2) return '2.0'
  if (typeof value.openapi !== 'string') return undefined
  if (/^3\.0(?:\.|$)/.test(value.openapi)) return '3.0'
  return /^3\.[12](?:\.|$)/.test(value.openapi) ? '3.1' : undefined
}

const maxHops = 32

export function openDocument(value: JsonValue): DocumentOpening {
  const version = openApiVersion(value)
  if (version === undefined || !isObject(value)) {
    return { ok: false, pointer: '', message: 'This is no OpenAPI document of version 2.0, 3.0, 3.1 or 3.2.' }
  }
  const exceeded = exceededLimit(value)
  if (exceeded !== undefined) return { ok: false, pointer: '', message: `The document is too large: ${exceeded}.` }
  return { ok: true, document: { version, root: value, resolve: (node, pointer) => follow(value, node, pointer) } }
}

function follow(root: JsonObject, start: JsonValue | undefined, place: string): ReferenceReading {
  let here = start
  let pointer = place
  for (let hop = 0; hop <= maxHops; hop++) {
    if (!isObject(here))
      return { ok: false, gap: { pointer, construct: 'reference', message: 'There is no object here.' } }
    if (typeof here.$ref !== 'string') return { ok: true, value: here, pointer }
    const target = localPointer(here.$ref)
    if (target === undefined) return { ok: false, gap: remoteReference(pointer, here.$ref) }
    here = readPointer(root, target)
    pointer = target
  }
  return {
    ok: false,
    gap: { pointer: place, construct: '$ref', message: 'The reference leads in a circle, or too far.' },
  }
}

/** The pointer that a reference within the document stands for; undefined for every other one. */
export function localPointer(reference: string): string | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined
  try {
    const pointer = decodeURIComponent(reference.slice(1))
    return /^(?:\/(?:[^~]|~[01])*)?$/u.test(pointer) ? pointer : undefined
  } catch {
    return undefined
  }
}

export const remoteReference = (pointer: string, reference: string): OpenApiGap => ({
  pointer,
  construct: '$ref',
  message: `Only references within the document are followed, and ${JSON.stringify(withoutSecrets(reference).slice(0, 120))} is none. Bundle the document first.`,
})

/** Addresses carry passwords before the host, and keys in their queries. */
const withoutSecrets = (reference: string): string =>
  reference.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1').replace(/\?[^#]*/, '')
