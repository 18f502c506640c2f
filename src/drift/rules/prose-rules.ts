// Rules about texts that a model reads. They enforce nothing, and models obey them: a person who approved a tool approved its words.
import { canonicalize } from '../../json/canonical.ts'
import { appendPointer, fieldPath } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { ToolSnapshot } from '../snapshot.ts'
import { hintNames } from './annotation-risk.ts'
import { hiddenIn } from './hidden-text.ts'
import type { ChangeSpot, ToolPair, ToolRule } from './rule.ts'
import { noteSpots, sentenceText } from './spots.ts'

const words = { level: { pin: 'dangerous', version: 'info' }, direction: 'prose', step: 'patch', over: 'tool' } as const

export const proseRules: readonly ToolRule[] = [
  {
    id: 'hidden-text',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'prose',
    step: 'major',
    title: 'A text holds characters that a person does not see.',
    why: 'A model reads them: this is how instructions are hidden from the person who reviews a tool.',
    find: ({ before, after }) => {
      const known = new Set(textsIn(before.raw).map(({ text }) => text))
      return textsIn(after.raw).flatMap(({ pointer, text }) => {
        const hidden = known.has(text) ? [] : hiddenIn(text)
        return hidden.length === 0
          ? []
          : [{ pointer, message: `It holds ${hidden.join(', and ')}.`, after: sentenceText(text) }]
      })
    },
  },
  {
    id: 'description-changed',
    ...words,
    title: 'The model is told something else about the tool.',
    why: 'The description decides when a tool is used and what it is given: a poisoned one is an attack.',
    find: (pair) => textChange(pair, 'description'),
  },
  {
    id: 'title-changed',
    ...words,
    title: 'The tool is shown under another title.',
    why: 'People approve calls by the title they see.',
    find: (pair) => textChange(pair, 'title'),
  },
  {
    id: 'argument-description-changed',
    ...words,
    title: 'The model is told something else about an argument.',
    why: 'A model fills in what the description asks for, also what it should keep to itself.',
    find: (pair) => retold(pair, 'input', (keyword) => keyword === 'description'),
  },
  {
    id: 'argument-note-changed',
    ...words,
    title: 'A title, an example or another note beside an argument has changed.',
    why: 'Models copy examples, and read every word of a schema.',
    find: (pair) => retold(pair, 'input', (keyword) => !['description', 'default', 'format'].includes(keyword)),
  },
  {
    id: 'result-note-changed',
    ...words,
    title: 'Something else is told about a field of the result.',
    why: 'Models interpret results by it.',
    find: (pair) => retold(pair, 'output', (keyword) => keyword !== 'format'),
  },
  {
    id: 'usage-advice-changed',
    ...words,
    title: 'Uses, forbidden uses or examples have changed.',
    why: 'They steer which tool a model reaches for.',
    find: ({ before, after }) => {
      const [old, renewed] = [before.contract?.affordance, after.contract?.affordance]
      if (old === undefined || renewed === undefined) return []
      return (['allowed_use_cases', 'forbidden_use_cases', 'examples'] as const).flatMap((name) => {
        const [from, to] = [old[name] as JsonValue, renewed[name] as JsonValue]
        if (canonicalize(from) === canonicalize(to)) return []
        return [{ pointer: `/contract/affordance/${name}`, message: `${name} changed.`, before: from, after: to }]
      })
    },
  },
  {
    id: 'metadata-changed',
    ...words,
    title: 'Something else was published with the tool that no other rule is about.',
    why: 'Clients act on metadata: icons, ways of execution, extensions.',
    find: ({ before, after }) => [
      ...memberChanges(before.more ?? {}, after.more ?? {}, ''),
      ...memberChanges(otherHints(before), otherHints(after), '/annotations'),
    ],
  },
  {
    id: 'definition-changed',
    ...words,
    last: true,
    title: 'The definition is written differently, and no other rule can say how.',
    why: 'No change of what was approved goes unreported.',
    find: ({ before, after }) =>
      published(before) === published(after) ? [] : [{ pointer: '', message: 'The definition is not what it was.' }],
  },
]

function textChange({ before, after }: ToolPair, name: 'title' | 'description'): readonly ChangeSpot[] {
  const [old, renewed] = [before[name] ?? null, after[name] ?? null]
  if (old === renewed) return []
  const message = `The ${name} was ${quoted(old)} and is ${quoted(renewed)} now.`
  return [{ pointer: `/${name}`, message, before: old, after: renewed }]
}

/** The first words that differ, with a few that do not. */
const quoted = (text: string | null): string => (text === null ? 'absent' : JSON.stringify(sentenceText(text)))

const retold = (pair: ToolPair, part: 'input' | 'output', wants: (keyword: string) => boolean): readonly ChangeSpot[] =>
  noteSpots(pair, {
    part,
    wants,
    tell: ({ place, keyword }) => `The ${keyword} of ${place === '' ? `the whole ${part}` : fieldPath(place)} changed.`,
  })

const otherHints = ({ annotations = {} }: ToolSnapshot): JsonObject =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => !hintNames.has(name)))

function memberChanges(before: JsonObject, after: JsonObject, above: string): readonly ChangeSpot[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => {
    const [old, renewed] = [own(before, name), own(after, name)]
    if (canonicalize(old) === canonicalize(renewed)) return []
    return [
      { pointer: appendPointer(above, name), message: `${sentenceText(name)} changed.`, before: old, after: renewed },
    ]
  })
}

const own = (object: JsonObject, name: string): JsonValue =>
  Object.hasOwn(object, name) ? (object[name] as JsonValue) : null

const maxTexts = 50_000

/** Every text of a definition, keys included. */
function textsIn(value: JsonValue): readonly { readonly pointer: string; readonly text: string }[] {
  const found: { pointer: string; text: string }[] = []
  const visit = (here: JsonValue, pointer: string): void => {
    if (found.length > maxTexts) return
    if (typeof here === 'string') found.push({ pointer, text: here })
    else if (Array.isArray(here)) {
      for (const [index, item] of (here as readonly JsonValue[]).entries()) visit(item, `${pointer}/${index}`)
    } else if (isObject(here)) {
      for (const [key, item] of Object.entries(here)) {
        found.push({ pointer: appendPointer(pointer, key), text: key })
        visit(item, appendPointer(pointer, key))
      }
    }
  }
  visit(value, '')
  return found
}

/** A version is how a change is announced, not a change. */
function published({ raw, contract }: ToolSnapshot): string {
  if (contract === undefined || !isObject(raw)) return canonicalize(raw)
  const { version: _announced, ...identity } = contract.identity
  return canonicalize({ ...raw, contract: { ...contract, identity } as unknown as JsonValue })
}
