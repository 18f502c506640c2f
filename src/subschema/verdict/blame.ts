// Says where and why L refuses a witness that R accepts: the first finding of the explainer, and the schema of R at the same place.
import { appendPointer, fieldPath, readPointer, tokensOf } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import { findErrors } from '../../schema/explain/find-errors.ts'
import { rootPlace, sensitivityOf, showPlace } from '../../schema/explain/place.ts'
import { endlessEffort } from '../../schema/judge/effort.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { patternTest } from '../../schema/patterns/pattern-test.ts'
import { reasonFor, type Sides } from './reasons.ts'

export interface Blame {
  readonly instancePath: string
  readonly rPointer: string
  readonly lPointer: string
  readonly reason: string
}

const nothingSensitive = sensitivityOf([])

export function blame(r: Preprocessed, l: Preprocessed, witness: JsonValue, sides?: Sides): Blame {
  const [finding] = findErrors(l, rootPlace(witness), 1, endlessEffort()).findings.all
  const instancePath = finding === undefined ? '' : showPlace(finding.place, nothingSensitive).pointer
  const keyword = finding?.keyword ?? 'false'
  const node = finding?.node
  const own = node === undefined || !Object.hasOwn(node, keyword) ? '' : `/${keyword}`
  const parent = keyword === 'required' || keyword === 'dependentRequired' ? parentOf(instancePath) : instancePath
  return {
    instancePath,
    lPointer: `${(node === undefined ? undefined : l.sourcePointer(node)) ?? ''}${own}`,
    rPointer: pointerAlong(r, witness, parent),
    reason: reasonFor({ keyword, node: node ?? {}, field: fieldPath(instancePath), witness, instancePath }, sides),
  }
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}

/** The schema of R for a place, as far as properties and items lead there. */
function pointerAlong(r: Preprocessed, witness: JsonValue, instancePath: string): string {
  let node: NormalSchema = r.root
  let pointer = r.sourcePointer(node) ?? ''
  let value: JsonValue | undefined = witness
  for (const token of tokensOf(instancePath)) {
    const next = childFor(r, node, { token, isItem: Array.isArray(value) }, new Set())
    if (next === undefined) break
    node = next
    pointer = r.sourcePointer(node) ?? pointer
    value = value === undefined ? undefined : readPointer(value, appendPointer('', token))
  }
  return pointer
}

interface Step {
  readonly token: string
  readonly isItem: boolean
}

/** Definitions are shared: `seen` keeps each from being searched again on every path that leads to it. */
function childFor(
  r: Preprocessed,
  schema: NormalSchema,
  step: Step,
  seen: Set<NormalObject>,
): NormalSchema | undefined {
  if (typeof schema === 'boolean' || seen.has(schema)) return undefined
  seen.add(schema)
  const here = ownChild(schema, step)
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
    const found = part === undefined ? undefined : childFor(r, part, step, seen)
    if (found !== undefined) return found
  }
  return undefined
}

function ownChild(node: NormalObject, { token, isItem }: Step): NormalSchema | undefined {
  if (isItem) return node.prefixItems?.[Number(token)] ?? node.items
  const { properties = {}, patternProperties = {}, additionalProperties } = node
  if (Object.hasOwn(properties, token)) return properties[token]
  const pattern = Object.keys(patternProperties).find((source) => patternTest(source)(token))
  return pattern === undefined ? additionalProperties : patternProperties[pattern]
}
