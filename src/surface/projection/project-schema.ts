// A schema in a provider's strict subset. References are written out unless they recur or are shared; alternatives are spread over what
// stands beside them; constraints that the subset cannot carry are noted, and described in words.
// Invariant: a value that obeys the projection breaks at most the constraints that were noted.
import { touches } from '../../json/mask.ts'
import { appendPointer, readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { createJudge } from '../../schema/judge/accept.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import type { Subset } from '../dialects/dialect-table.ts'
import { constraintText, defaultText } from './constraint-text.ts'
import { createWrittenDefinitions, definitionsOf } from './definitions.ts'
import { projectPlain } from './project-plain.ts'
import { projectUnion } from './project-union.ts'
import type { OnlyLocal, ProjectionPlace, ProjectionRefusal, Projector } from './projector.ts'
import { flatten, pureReference, sourceNode, unionIn } from './spread.ts'

export interface ProjectedSchema {
  /** In JSON Schema 2020-12; properties that may be absent are simply not required. */
  readonly schema: JsonObject
  readonly lost: readonly OnlyLocal[]
  readonly refusals: readonly ProjectionRefusal[]
}

export interface ProjectInput {
  readonly form: Preprocessed
  /** The schema as it was written, for its defaults. */
  readonly source: JsonObject
  /** Pointers of arguments of which no value is repeated in a description. */
  readonly sensitive: readonly string[]
  readonly subset: Subset
}

/** A projection of more schemas than this is too long to be read. */
const maxSchemas = 20_000

const atRoot: ProjectionPlace = {
  path: [],
  isRoot: true,
  inUnion: false,
  belowOptional: false,
  inDefinition: false,
  unfolding: new Set(),
}

export function projectSchema(input: ProjectInput): ProjectedSchema {
  const { form, subset, sensitive } = input
  const { recursive, uses } = definitionsOf(form)
  const lost = new Map<string, OnlyLocal>()
  const refusals = new Map<string, ProjectionRefusal>()
  const judge = createJudge(form)
  let schemas = 0

  const projector: Projector = {
    form,
    subset,
    recursive,
    describe: createDescriber(input),
    accepts: (node, value) => judge.accepts(node, value),
    placeOf: (node) => (node === undefined ? '' : (form.sourcePointer(sourceNode(node)) ?? '')),
    lose(node, keyword, { path }) {
      const pointer = appendPointer(projector.placeOf(node), keyword)
      lost.set(pointer, { pointer, constraint: keyword })
      const quotes = keyword === 'enum' || keyword === 'const'
      return quotes && touches(path, sensitive) ? '' : constraintText(node, keyword)
    },
    refuse(code, node, message) {
      const pointer = projector.placeOf(node)
      const key = `${code} ${pointer}`
      if (!refusals.has(key)) refusals.set(key, { code, pointer, message })
    },
    project(given, place) {
      if (++schemas > maxSchemas) {
        projector.refuse('too_large', undefined, 'Written out, the schema is too large.')
        return {}
      }
      return referred(given, place) ?? spread(given, place, projector)
    },
  }
  const definitions = createWrittenDefinitions(projector)

  /** A reference has to stand alone, so one with a description is written out, or put into a list. */
  const referred = (given: readonly NormalSchema[], place: ProjectionPlace): JsonObject | undefined => {
    const reference = place.isRoot ? undefined : pureReference(given)
    if (reference === undefined) return undefined
    const { key, description } = reference
    if (recursive.has(key)) return worded(definitions.recur(key, place), description)
    return (uses.get(key) ?? 0) > 1 && description === undefined ? definitions.refer(key, place) : undefined
  }

  const root = projector.project([form.root, { type: ['object'] }], atRoot)
  if (root === undefined) projector.refuse('unsatisfiable', undefined, 'No arguments fit.')
  const $defs = definitions.all()
  const schema = $defs === undefined ? (root ?? {}) : { ...root, $defs }
  return { schema, lost: [...lost.values()], refusals: [...refusals.values()] }
}

/** The schemas of one place, written out. */
function spread(given: readonly NormalSchema[], place: ProjectionPlace, projector: Projector): JsonObject | undefined {
  const flat = flatten(given, place, projector)
  if (flat === 'never') return undefined
  if (flat === 'endless') {
    projector.refuse('recursion', undefined, 'It refers to itself with conditions of its own each time.')
    return {}
  }
  const inner = { ...place, unfolding: flat.unfolding }
  const union = unionIn(flat.facets)
  return union === undefined ? projectPlain(flat.facets, inner, projector) : projectUnion(union, inner, projector)
}

function worded(reference: JsonObject, description: string | undefined): JsonObject {
  return description === undefined ? reference : { anyOf: [reference], description }
}

/**
 * Describes a projected place: the author's words first, then the sentences for constraints that are not carried, then the
 * default. Values of sensitive places are not repeated.
 */
function createDescriber({ form, source, sensitive }: ProjectInput): Projector['describe'] {
  const defaultOf = (facet: NormalObject): string | undefined => {
    const pointer = form.sourcePointer(sourceNode(facet))
    if (pointer === undefined || pointer.includes('#')) return undefined
    const written = readPointer(source, pointer)
    if (!isObject(written) || !Object.hasOwn(written, 'default')) return undefined
    return defaultText(written.default as JsonValue)
  }
  return (out, facets, sentences, { path }) => {
    const words = facets.find(({ description }) => description !== undefined && description !== '')?.description
    const standard = touches(path, sensitive) ? undefined : facets.map(defaultOf).find((value) => value !== undefined)
    const own = typeof out.description === 'string' ? [out.description] : []
    const all = [
      ...(words === undefined ? [] : [words]),
      ...own,
      ...sentences,
      ...(standard === undefined ? [] : [standard]),
    ]
    const text = [...new Set(all.filter((sentence) => sentence !== ''))].join(' ')
    return text === '' ? out : { ...out, description: text }
  }
}
