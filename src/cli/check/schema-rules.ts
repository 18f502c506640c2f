// Rules about the two schemas: what cannot be honoured, what means nothing, what is left open, and whether the binding's pointers lead
// somewhere.
import { nearestNames } from '../../json/nearest.ts'
import { isPointer, tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject } from '../../json/value.ts'
import { keywordsOf } from '../../schema/read/dialects.ts'
import { isClosed } from '../../subschema/is-closed.ts'
import { type LintRule, type LintSpot, spotAt } from './lint-rule.ts'
import { findOpenObjects } from './open-objects.ts'
import { schemaVoices } from './schema-places.ts'
import { inputAt, type ReadSubject, type SchemaReading } from './subject.ts'

/** Words of other dialects, and what says the same in 2020-12. */
const otherDialects: ReadonlyMap<string, string> = new Map([
  ['nullable', "type: [<type>, 'null']"],
  ['dependencies', 'dependentRequired or dependentSchemas'],
  ['additionalItems', 'items after prefixItems'],
  ['id', '$id'],
  ['example', 'examples'],
  ['discriminator', 'const in each alternative'],
  ['$recursiveRef', '$dynamicRef'],
  ['optional', 'leave the name out of required'],
])

export const schemaLintRules: readonly LintRule[] = [
  {
    id: 'schema-unsupported',
    level: 'error',
    what: 'A schema uses something that cannot be honoured exactly: an unknown format, a pattern without linear time, a lost reference.',
    why: 'What cannot be checked is refused, never ignored.',
    find: ({ schemas }) =>
      schemas.flatMap(({ at, refusals }) =>
        refusals.map(({ pointer, construct, message }) => ({
          pointer: at + pointer,
          message: `${construct}: ${message}.`,
          write: 'a construct that can be checked, or nothing',
        })),
      ),
  },
  {
    id: 'keyword-ignored',
    level: 'warning',
    what: 'A schema holds a word that means nothing in its dialect, often a misspelt keyword.',
    why: 'A constraint that is misspelt constrains nothing.',
    find: ({ schemas }) => schemas.flatMap(ignoredWords),
  },
  {
    id: 'open-object',
    level: 'error',
    what: 'A tool that is strict or changes something accepts properties that it does not declare.',
    why: 'An argument that is not declared crosses the boundary unjudged.',
    find: (subject) => (subject.strict || subject.mutates ? openObjects(subject) : []),
  },
  {
    id: 'open-object-in-read',
    level: 'warning',
    what: 'A read accepts properties that it does not declare.',
    why: 'A misspelt optional argument would be dropped without a word.',
    find: (subject) => (subject.strict || subject.mutates ? [] : openObjects(subject)),
  },
  {
    id: 'example-breaks-open-schema',
    level: 'warning',
    what: 'An example uses an argument that the schema does not declare.',
    why: 'Models copy examples; an undeclared argument in one is a misspelling or a missing declaration.',
    find: undeclaredInExamples,
  },
  {
    id: 'pointer-leads-nowhere',
    level: 'warning',
    what: 'A pointer of the binding names an argument that the schema does not declare.',
    why: 'A misspelt pointer hides nothing, locks nothing and identifies nothing.',
    find: lostPointers,
  },
]

function ignoredWords({ at, ignored, dialect }: SchemaReading): readonly LintSpot[] {
  return ignored.flatMap((pointer): readonly LintSpot[] => {
    const word = isPointer(pointer) ? (tokensOf(pointer).at(-1) ?? '') : pointer
    // The agreed way to annotate a schema for other programs.
    if (word.startsWith('x-')) return []
    const near = otherDialects.get(word) ?? nearestNames(word, keywordsOf(dialect).keys(), 1)[0]
    return spotAt(at + pointer, `${word} means nothing in ${dialect}.`, near ?? 'a keyword of the dialect, or nothing')
  })
}

/** The prover decides whether the schema is open, by its values; the places are then looked for one by one. */
function openObjects({ input, tool }: ReadSubject): readonly LintSpot[] {
  if (tool !== undefined && isClosed(tool.input.form).verdict === 'closed') return []
  return findOpenObjects(input).map(({ pointer, keyword }) => ({
    pointer: inputAt + pointer,
    message: 'Undeclared properties are let through here.',
    write: `${keyword}: false`,
  }))
}

function undeclaredInExamples({ contract, input, tool }: ReadSubject): readonly LintSpot[] {
  const declared = new Set(
    schemaVoices(input, input).flatMap((voice) => (isObject(voice.properties) ? Object.keys(voice.properties) : [])),
  )
  if (declared.size === 0) return []
  return contract.affordance.examples.flatMap((example, index) =>
    // A closed schema refuses the example itself, and that is reported already.
    tool?.input.matches(example.arguments) !== true
      ? []
      : Object.keys(example.arguments).flatMap((name): readonly LintSpot[] => {
          if (declared.has(name)) return []
          const [near] = nearestNames(name, declared, 1)
          const pointer = `/contract/affordance/examples/${index}/arguments`
          return spotAt(pointer, `The example uses ${name}, which is not declared.`, near ?? 'a declared argument')
        }),
  )
}

function lostPointers({ binding, input }: ReadSubject): readonly LintSpot[] {
  const { operation = [], resource, locks = [], sensitive = [] } = binding
  const named = [
    ...(operation === 'call'
      ? []
      : operation.map((pointer, index) => ({ at: `/binding/operation/${index}`, pointer }))),
    ...(resource === undefined ? [] : [{ at: '/binding/resource', pointer: resource }]),
    ...locks.map((pointer, index) => ({ at: `/binding/locks/${index}`, pointer })),
    ...sensitive.map((pointer, index) => ({ at: `/binding/sensitive/${index}`, pointer })),
  ]
  return named.flatMap(({ at, pointer }): readonly LintSpot[] => {
    if (!isPointer(pointer)) return []
    const lost = firstLost(input, tokensOf(pointer))
    if (lost === undefined) return []
    const [near] = nearestNames(lost.token, lost.known, 1)
    const write = near === undefined ? 'the pointer of a declared argument' : `/${[...lost.before, near].join('/')}`
    return spotAt(at, `${pointer} leads to no declared argument.`, write)
  })
}

interface Lost {
  readonly token: string
  readonly before: readonly string[]
  readonly known: readonly string[]
}

/** The first token that no schema at its place declares; undefined as soon as a place declares nothing by name. */
function firstLost(document: JsonObject, tokens: readonly string[]): Lost | undefined {
  let here = schemaVoices(document, document)
  for (const [index, token] of tokens.entries()) {
    const known = here.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
    const inner = here.flatMap((voice) => below(voice, token))
    if (inner.length === 0) {
      const listsNames = known.length > 0 && token !== '*'
      return listsNames ? { token, before: tokens.slice(0, index), known } : undefined
    }
    here = inner.flatMap((schema) => schemaVoices(document, schema))
  }
  return undefined
}

function below(voice: JsonObject, token: string): readonly JsonObject[] {
  const { properties } = voice
  const named = !isObject(properties)
    ? []
    : token === '*'
      ? Object.values(properties)
      : Object.hasOwn(properties, token)
        ? [properties[token]]
        : []
  const isIndex = token === '*' || /^[0-9]+$/.test(token)
  const rest = [
    voice.additionalProperties,
    ...(isObject(voice.patternProperties) ? Object.values(voice.patternProperties) : []),
  ]
  return [...named, ...rest, ...(isIndex ? [voice.items] : [])].filter(isObject)
}
