// Says where and why L refuses a witness that R accepts: the first finding of the explainer, with R's word on the same place.
import { fieldPath, tokensOf } from '../json/pointer.ts'
import type { JsonValue } from '../json/value.ts'
import { endlessEffort } from '../schema/explain/effort.ts'
import { findErrors } from '../schema/explain/find-errors.ts'
import { rootPlace, sensitivityOf, showPlace } from '../schema/explain/place.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../schema/normal.ts'
import { reasonFor } from './reasons.ts'

export interface Blame {
  readonly instancePath: string
  readonly rPointer: string
  readonly lPointer: string
  readonly reason: string
}

const nothingSensitive = sensitivityOf([])

export function blame(r: Preprocessed, l: Preprocessed, witness: JsonValue): Blame {
  const [finding] = findErrors(l, rootPlace(witness), 1, endlessEffort()).findings.all
  const instancePath = finding === undefined ? '' : showPlace(finding.place, nothingSensitive).pointer
  const keyword = finding?.keyword ?? 'false'
  const node = finding?.node
  const own = node === undefined || !Object.hasOwn(node, keyword) ? '' : `/${keyword}`
  const parent = keyword === 'required' || keyword === 'dependentRequired' ? parentOf(instancePath) : instancePath
  return {
    instancePath,
    lPointer: `${(node === undefined ? undefined : l.sourcePointer(node)) ?? ''}${own}`,
    rPointer: pointerAlong(r, parent),
    reason: reasonFor({ keyword, node: node ?? {}, field: fieldPath(instancePath), witness, instancePath }),
  }
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}

/** The schema of R that speaks about a place, as far as properties and items lead there. */
function pointerAlong(r: Preprocessed, instancePath: string): string {
  let node: NormalSchema = r.root
  let pointer = r.sourcePointer(node) ?? ''
  for (const token of tokensOf(instancePath)) {
    const next = childFor(r, node, token)
    if (next === undefined) break
    node = next
    pointer = r.sourcePointer(node) ?? pointer
  }
  return pointer
}

function childFor(r: Preprocessed, schema: NormalSchema, token: string): NormalSchema | undefined {
  if (typeof schema === 'boolean') return undefined
  const here = ownChild(schema, token)
  if (here !== undefined) return here
  const parts: readonly (NormalSchema | undefined)[] = [
    ...(schema.$ref === undefined ? [] : [r.defs.get(schema.$ref)]),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    schema.then,
    schema.else,
  ]
  for (const part of parts) {
    const found = part === undefined ? undefined : childFor(r, part, token)
    if (found !== undefined) return found
  }
  return undefined
}

function ownChild({ properties, prefixItems, items, additionalProperties }: NormalObject, token: string) {
  if (properties !== undefined && Object.hasOwn(properties, token)) return properties[token]
  const isIndex = /^(?:0|[1-9][0-9]*)$/.test(token)
  return (isIndex ? (prefixItems?.[Number(token)] ?? items) : undefined) ?? additionalProperties
}
