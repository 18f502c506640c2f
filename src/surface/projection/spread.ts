// One place as the list of schemas that all apply to it, with references and allOf written out, and the first union among them.
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import type { ProjectionPlace } from './projector.ts'

interface Flat {
  readonly facets: readonly NormalObject[]
  readonly unfolding: ReadonlySet<string>
}

interface Document {
  readonly form: Preprocessed
  readonly recursive: ReadonlySet<string>
}

/** `never`: no value fits. `endless`: a definition would have to be written out within itself. */
export function flatten(
  given: readonly NormalSchema[],
  { unfolding }: Pick<ProjectionPlace, 'unfolding'>,
  { form, recursive }: Document,
): Flat | 'never' | 'endless' {
  const facets = new Set<NormalObject>()
  const unfolded = new Set(unfolding)
  const take = (schema: NormalSchema): 'never' | 'endless' | undefined => {
    if (schema === true) return undefined
    if (schema === false) return 'never'
    if (facets.has(schema)) return undefined
    facets.add(schema)
    const { $ref, allOf = [] } = schema
    if ($ref !== undefined) {
      if (recursive.has($ref) && unfolded.has($ref)) return 'endless'
      if (recursive.has($ref)) unfolded.add($ref)
      const ended = take(form.defs.get($ref) ?? true)
      if (ended !== undefined) return ended
    }
    for (const member of allOf) {
      const ended = take(member)
      if (ended !== undefined) return ended
    }
    return undefined
  }
  for (const schema of given) {
    const ended = take(schema)
    if (ended !== undefined) return ended
  }
  // The target of a reference and the members of an allOf are facets of their own now.
  return { facets: [...facets].map(withoutParts), unfolding: unfolded }
}

function withoutParts(node: NormalObject): NormalObject {
  if (node.$ref === undefined && node.allOf === undefined) return node
  const { $ref: _reference, allOf: _members, ...own } = node
  return derived(own, node)
}

const origins = new WeakMap<NormalObject, NormalObject>()

/** Remembers which schema of the document a part of it was. */
export function derived(part: NormalObject, whole: NormalObject): NormalObject {
  origins.set(part, sourceNode(whole))
  return part
}

export function sourceNode(node: NormalObject): NormalObject {
  return origins.get(node) ?? node
}

/** A schema that is nothing but a reference, apart from its description. */
export function pureReference(
  given: readonly NormalSchema[],
): { readonly key: string; readonly description: string | undefined } | undefined {
  const [only] = given
  if (given.length !== 1 || typeof only !== 'object' || only.$ref === undefined) return undefined
  const { $ref: key, title: _title, description, ...others } = only
  return Object.keys(others).length === 0 ? { key, description } : undefined
}

export interface Union {
  readonly facet: NormalObject
  readonly keyword: 'anyOf' | 'oneOf'
  readonly branches: readonly NormalSchema[]
  /** Everything else that applies. */
  readonly rest: readonly NormalObject[]
}

export function unionIn(facets: readonly NormalObject[]): Union | undefined {
  for (const facet of facets) {
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = facet[keyword]
      if (branches === undefined) continue
      const { [keyword]: _branches, ...own } = facet
      return { facet, keyword, branches, rest: facets.map((other) => (other === facet ? derived(own, facet) : other)) }
    }
  }
  return undefined
}
