// A schema in a provider's strict subset. References are written out unless they recur or are shared; alternatives are spread over what
// stands beside them; what the subset cannot say is noted and told in words.
// Invariant: a value that obeys the projection breaks at most the constraints that were noted.
import { canonicalize } from '../../json/canonical.ts'
import { touches } from '../../json/mask.ts'
import { appendPointer, readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { endlessEffort } from '../../schema/explain/effort.ts'
import { createJudge } from '../../schema/explain/judge.ts'
import { createRules } from '../../schema/explain/rules.ts'
import type { NormalObject, NormalSchema, Preprocessed, TypeName } from '../../schema/normal.ts'
import { constraintText, defaultText } from './constraint-text.ts'
import { definitionName, definitionsOf } from './definitions.ts'
import type { Subset } from './dialect-table.ts'
import { typeOf, typesLeft, typesMeant } from './json-types.ts'
import { projectList } from './project-list.ts'
import { projectObject } from './project-object.ts'
import { projectNumber, projectText, projectValues, valuesLeft, withNull } from './project-scalar.ts'
import type { Draft, OnlyLocal, Projecting, ProjectionRefusal, Standing } from './projecting.ts'
import { derived, flatten, originOf, pureReference, type Union, unionIn } from './spread.ts'
import { isOnlyNull } from './voices.ts'

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
  readonly subset: Subset
  /** Pointers of arguments of which no value is repeated in a description. */
  readonly sensitive: readonly string[]
}

/** More schemas than this are no projection that anybody could read. */
const maxSchemas = 20_000

export function projectSchema({ form, source, subset, sensitive }: ProjectInput): ProjectedSchema {
  const { recursive, uses } = definitionsOf(form)
  const lost = new Map<string, OnlyLocal>()
  const refusals = new Map<string, ProjectionRefusal>()
  const definitions = new Map<string, { readonly name: string; schema: JsonObject }>()
  const effort = endlessEffort()
  const judge = createJudge(form, createRules(form.formats, effort), effort)
  let schemas = 0

  const projecting: Projecting = {
    form,
    subset,
    accepts: (node, value) => judge.accepts(node, value),
    placeOf: (node) => (node === undefined ? '' : (form.sourcePointer(originOf(node)) ?? '')),
    lose(node, keyword, { path }) {
      const pointer = appendPointer(projecting.placeOf(node), keyword)
      lost.set(pointer, { pointer, constraint: keyword })
      const quotes = keyword === 'enum' || keyword === 'const'
      return quotes && touches(path, sensitive) ? '' : constraintText(node, keyword)
    },
    refuse(code, node, message) {
      const pointer = projecting.placeOf(node)
      const key = `${code} ${pointer}`
      if (!refusals.has(key)) refusals.set(key, { code, pointer, message })
    },
    project(given, standing) {
      if (++schemas > maxSchemas) {
        projecting.refuse('too_large', undefined, 'Written out, the schema is too large.')
        return {}
      }
      const reference = pureReference(given)
      if (reference !== undefined && !standing.isRoot) {
        const { key, description } = reference
        // Beside a reference nothing may stand, so one that is described is written out, or stands alone in a list.
        if (recursive.has(key)) return worded(recur(key, standing), description)
        if ((uses.get(key) ?? 0) > 1 && description === undefined) return refer(key, standing)
      }
      const flat = flatten(given, standing, { form, recursive })
      if (flat === 'never') return undefined
      if (flat === 'endless') {
        projecting.refuse('recursion', undefined, 'It refers to itself with conditions of its own each time.')
        return {}
      }
      const inner = { ...standing, unfolding: flat.unfolding }
      const union = unionIn(flat.voices)
      return union === undefined ? projectPlain(flat.voices, inner) : projectUnion(union, inner)
    },
  }

  const start: Standing = {
    path: [],
    isRoot: true,
    inUnion: false,
    belowOptional: false,
    inDefinition: false,
    unfolding: new Set(),
  }
  const root = projecting.project([form.root, { type: ['object'] }], start)
  if (root === undefined) projecting.refuse('unsatisfiable', undefined, 'No arguments fit.')
  const named = [...definitions.values()]
  const schema =
    named.length === 0
      ? (root ?? {})
      : { ...root, $defs: Object.fromEntries(named.map((definition) => [definition.name, definition.schema])) }
  return { schema, lost: [...lost.values()], refusals: [...refusals.values()] }

  function recur(key: string, standing: Standing): JsonObject {
    const target = form.defs.get(key)
    const node = typeof target === 'object' ? target : undefined
    if (subset.recursion === 'nowhere') projecting.refuse('recursion', node, 'It refers to itself.')
    if (subset.recursion === 'below_optional' && standing.inDefinition && !standing.belowOptional) {
      projecting.refuse('recursion', node, 'It refers to itself where a value is required.')
    }
    return refer(key, standing)
  }

  /** A definition is written once; inside of unions it is another one, because there other things are refused. */
  function refer(key: string, standing: Standing): JsonObject {
    const variant = `${standing.inUnion ? 'union' : 'plain'} ${key}`
    let definition = definitions.get(variant)
    if (definition === undefined) {
      definition = { name: definitionName(key, definitions.size + 1), schema: {} }
      definitions.set(variant, definition)
      const below = { ...standing, isRoot: false, inDefinition: true, belowOptional: false, unfolding: new Set([key]) }
      const target = form.defs.get(key) ?? true
      const written = projecting.project(typeof target === 'boolean' ? [target] : [target, {}], below)
      if (written === undefined)
        projecting.refuse('unsatisfiable', undefined, 'A definition that no value fits is referred to.')
      definition.schema = written ?? {}
    }
    return { $ref: `#/$defs/${definition.name}` }
  }

  function projectUnion(union: Union, standing: Standing): JsonObject | undefined {
    const { voice, keyword, branches, rest } = union
    if (standing.isRoot) return projectRootUnion(union, standing)
    const isUnion = branches.filter((branch) => !isOnlyNull(branch)).length > 1
    const told = keyword === 'oneOf' && branches.length > 1 ? projecting.lose(voice, 'oneOf', standing) : ''
    const silent = rest.map((voice) => withoutWords(voice))
    const below = { ...standing, inUnion: standing.inUnion || isUnion }
    const forms = branches.flatMap((branch) => {
      const form = projecting.project([...silent, branch], below)
      if (form === undefined) return []
      return Object.keys(form).length === 1 && Array.isArray(form.anyOf)
        ? (form.anyOf as readonly JsonObject[])
        : [form]
    })
    const different = [...new Map(forms.map((form) => [canonicalize(form), form])).values()]
    const [only] = different
    if (only === undefined) return undefined
    if (different.length === 1) return described({ ...only }, rest, [], standing)
    return described({ anyOf: different }, rest, told === '' || isTelling(different) ? [] : [told], standing)
  }

  /** At the root stands an object and nothing else: the alternatives' fields are offered together, and which of them go together is told. */
  function projectRootUnion({ voice, keyword, branches, rest }: Union, standing: Standing): JsonObject | undefined {
    const forms = branches.filter((branch): branch is NormalObject => typeof branch === 'object')
    if (forms.length === 1 && branches.length === 1) return projecting.project([...rest, ...forms], standing)
    const told = projecting.lose(voice, keyword, standing)
    const names = new Set(
      forms.flatMap((branch) => {
        const flat = flatten([branch], standing, { form, recursive })
        return typeof flat === 'string' ? [] : flat.voices.flatMap(({ properties = {} }) => Object.keys(properties))
      }),
    )
    const known = new Set(rest.flatMap(({ properties = {} }) => Object.keys(properties)))
    const added = [...names].filter((name) => !known.has(name))
    if (added.length > 0 && subset.optional === 'nullable') {
      projecting.refuse('optional_in_union', voice, `${added[0]} may be absent and stands in a union.`)
    }
    const offered = Object.fromEntries(added.map((name) => [name, { anyOf: declaredIn(forms, name) }]))
    const together = added.length === 0 ? rest : [...rest, { properties: offered }]
    const schema = projecting.project(together, standing)
    return schema === undefined ? undefined : described({ ...schema }, [], [told], standing)
  }

  function declaredIn(forms: readonly NormalObject[], name: string): readonly NormalSchema[] {
    return forms.flatMap((branch) => {
      const flat = flatten([branch], start, { form, recursive })
      if (typeof flat === 'string') return []
      const said = flat.voices.flatMap(({ properties }) =>
        properties !== undefined && Object.hasOwn(properties, name) ? [properties[name] as NormalSchema] : [],
      )
      return said.length === 0 ? [] : [{ allOf: said }]
    })
  }

  function projectPlain(voices: readonly NormalObject[], standing: Standing): JsonObject | undefined {
    const told = voices.flatMap((voice) => [
      ...(voice.not === undefined || voice.not === false ? [] : [projecting.lose(voice, 'not', standing)]),
      ...(voice.if === undefined ? [] : [projecting.lose(voice, 'if', standing)]),
    ])
    const values = valuesLeft(voices, projecting)
    if (values !== undefined && !standing.isRoot) {
      if (values.length === 0) return undefined
      const listed = projectValues(values, projecting)
      if (listed !== undefined) return described(listed, voices, told, standing)
    }
    for (const voice of values === undefined ? [] : voices) {
      if (voice.const !== undefined) told.push(projecting.lose(voice, 'const', standing))
      if (voice.enum !== undefined) told.push(projecting.lose(voice, 'enum', standing))
    }
    const given = typesLeft(voices) ?? (values === undefined ? undefined : [...new Set(values.map(typeOf))])
    const types = given ?? typesMeant(voices)
    if (types.length === 0) {
      if (given !== undefined) return undefined
      if (!subset.untyped) projecting.refuse('untyped', voices[0], 'It may be anything; say what it is.')
      return described({}, voices, told, standing)
    }
    return projectTypes(types, voices, standing, told)
  }

  function projectTypes(
    types: readonly TypeName[],
    voices: readonly NormalObject[],
    standing: Standing,
    told: readonly string[],
  ): JsonObject | undefined {
    const nullable = types.includes('null')
    const scalars = types.filter((type) => type !== 'null')
    const parts = scalars.flatMap((type) => {
      const part = ofType(type, voices, standing)
      return part === undefined ? [] : [part]
    })
    const [only] = parts
    if (only === undefined) return nullable ? described({ type: 'null' }, voices, told, standing) : undefined
    if (parts.length === 1) {
      const [out, own] = only
      const { type } = out
      const widened = nullable ? { ...out, type: withNull([type as TypeName], true) } : out
      return described(widened, voices, [...told, ...own], standing)
    }
    const forms = parts.map(([out, own]) => described(out, [], own, standing))
    return described({ anyOf: nullable ? [...forms, { type: 'null' }] : forms }, voices, told, standing)
  }

  function ofType(type: TypeName, voices: readonly NormalObject[], standing: Standing) {
    switch (type) {
      case 'object':
        return projectObject(voices, standing, projecting)
      case 'array':
        return projectList(voices, standing, projecting)
      case 'string':
        return projectText(voices, standing, projecting)
      case 'number':
      case 'integer':
        return projectNumber(type, voices, standing, projecting)
      case 'boolean':
      case 'null':
        return [{ type }, []] as const satisfies readonly [Draft, readonly string[]]
    }
  }

  /** The author's words first, then what had to be said in words instead. */
  function described(
    out: Draft,
    voices: readonly NormalObject[],
    told: readonly string[],
    { path }: Standing,
  ): JsonObject {
    const words = voices.find(({ description }) => description !== undefined && description !== '')?.description
    const standard = touches(path, sensitive) ? undefined : voices.map(defaultOf).find((value) => value !== undefined)
    const own = typeof out.description === 'string' ? [out.description] : []
    const all = [
      ...(words === undefined ? [] : [words]),
      ...own,
      ...told,
      ...(standard === undefined ? [] : [standard]),
    ]
    const text = [...new Set(all.filter((sentence) => sentence !== ''))].join(' ')
    return text === '' ? out : { ...out, description: text }
  }

  function defaultOf(voice: NormalObject): string | undefined {
    const pointer = form.sourcePointer(originOf(voice))
    if (pointer === undefined || pointer.includes('#')) return undefined
    const written = readPointer(source, pointer)
    if (!isObject(written) || !Object.hasOwn(written, 'default')) return undefined
    return defaultText(written.default as JsonValue)
  }
}

function withoutWords(voice: NormalObject): NormalObject {
  const { title: _title, description: _text, ...speaking } = voice
  return derived(speaking, voice)
}

function worded(reference: JsonObject, description: string | undefined): JsonObject {
  return description === undefined ? reference : { anyOf: [reference], description }
}

/** Types that differ, or lists of single values, tell by themselves which form is meant. */
function isTelling(forms: readonly JsonObject[]): boolean {
  return new Set(forms.map(({ type }) => JSON.stringify(type))).size === forms.length
}
