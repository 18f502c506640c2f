// Rules about what a model is told to do and what it cannot know: words that say nothing, advice to guess, one tool for everything, and a
// change that is not announced.
import { effectRow } from '../../contract/effects.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { type LintRule, type LintSpot, spotAt } from './lint-rule.ts'
import { descriptionOf } from './schema-places.ts'
import { inputAt, type ReadSubject } from './subject.ts'
import { claimedEffect, nameWords, withoutVersion, wordSet } from './tool-words.ts'

const described = '/contract/affordance/model_description'

/** Words that say nothing of an argument beyond its name. */
const filler = wordSet(
  'a an and argument be field for given id identifier in input is it its name number of on or parameter provided required string text that the this to used value which',
)

const says = (text: string, name: string) => {
  const known = new Set([...nameWords(name), ...filler])
  return nameWords(text).some((word) => !known.has(word) && !known.has(word.replace(/s$/, '')))
}

/** A model that is told to guess invents what it should ask for. */
const guessing = wordSet('guess guesses assume invent infer')
const denying = wordSet('not never no don without instead rather cannot')

/** A denial counts shortly before the word: "do not guess", and not "guess where it is not given". */
const reach = 3

function tellsToGuess(text: string): boolean {
  return text.split(/[.;:!?\n]+/).some((sentence) => {
    const words = nameWords(sentence)
    const isDenied = (at: number) => words.slice(Math.max(0, at - reach), at).some((word) => denying.has(word))
    return words.some((word, at) => guessing.has(word) && !isDenied(at))
  })
}

const asking = wordSet('ask asks clarify')
/** Words in which a condition or an origin is told. */
const conditional = wordSet(
  'after as before first from has if must need needs only once open require required requires scope unless when',
)

/** An argument that says what is to be done rather than to what. */
const operations = wordSet('action operation op command method verb task')
const mostOperations = 2

const listedBy = (parts: readonly JsonObject[]): readonly JsonValue[] =>
  parts.flatMap((part) => (Array.isArray(part.enum) ? part.enum : []))

function manyOperations({ properties, mutates }: ReadSubject): readonly LintSpot[] {
  return properties.flatMap(({ name, pointer, voices }) => {
    if (!operations.has(nameWords(name).at(-1) ?? '')) return []
    const listed = listedBy(voices.filter(isObject)).filter((value) => typeof value === 'string')
    const changing = listed.filter((word) => claimedEffect(word, '') !== undefined)
    const mixes = changing.length > 0 && changing.length < listed.length
    if (listed.length <= mostOperations && !(mutates && mixes)) return []
    const message = mixes
      ? `${name} lets one tool read and change.`
      : `${name} puts ${listed.length} operations into one tool.`
    return spotAt(inputAt + pointer, message, 'a tool for each operation, with its own effect class')
  })
}

/** Verbs of those who only look, as they stand and with an s. */
const reading = wordSet(
  'check checks count counts describe describes fetch fetches find finds get gets list lists look looks query queries read reads retrieve retrieves search searches show shows view views',
)

export const adviceLintRules: readonly LintRule[] = [
  {
    id: 'property-says-nothing',
    level: 'warning',
    what: 'The description of an argument repeats its name.',
    why: 'A model needs its format and the record that it refers to; the name it has already.',
    find: ({ properties }) =>
      properties.flatMap(({ name, pointer, voices }) => {
        const text = descriptionOf(voices)
        return text === '' || says(text, name)
          ? []
          : spotAt(
              inputAt + pointer,
              `The description of ${name} adds nothing to its name.`,
              'its format, and where the value comes from',
            )
      }),
  },
  {
    id: 'told-to-guess',
    level: 'warning',
    what: 'A description tells the model to guess, assume or make up a value.',
    why: 'What a model does not know it has to ask for; a guess passes every gate.',
    find: ({ contract, properties }) => {
      const message = 'The model is told to guess.'
      const write = 'Ask the user when it is not known.'
      return [
        ...(tellsToGuess(contract.affordance.model_description) ? spotAt(described, message, write) : []),
        ...properties.flatMap(({ pointer, voices }) =>
          tellsToGuess(descriptionOf(voices)) ? spotAt(inputAt + pointer, message, write) : [],
        ),
      ]
    },
  },
  {
    id: 'no-repair-hint',
    level: 'info',
    what: 'Nothing tells the model to ask for a value that a tool which changes something needs.',
    why: 'A model that was not told to ask fills the gap by itself.',
    find: ({ contract, mutates, properties }) => {
      const needed = properties.filter(({ required }) => required)
      const told = [contract.affordance.model_description, ...properties.map(({ voices }) => descriptionOf(voices))]
      if (!mutates || needed.length === 0 || told.some((text) => nameWords(text).some((word) => asking.has(word))))
        return []
      return spotAt(
        described,
        'Nothing says what to do where a value is missing.',
        'Ask the user when it is not known.',
      )
    },
  },
  {
    id: 'no-preconditions',
    level: 'info',
    what: 'A tool that changes something says neither what has to hold first nor where its values come from.',
    why: 'A model then calls it too early, with an id from somewhere else.',
    find: ({ contract, mutates, properties }) => {
      const told = [contract.affordance.model_description, ...properties.map(({ voices }) => descriptionOf(voices))]
      if (!mutates || told.some((text) => nameWords(text).some((word) => conditional.has(word)))) return []
      return spotAt(
        described,
        'Nothing says when it may be called.',
        'what must hold first, and where each id comes from',
      )
    },
  },
  {
    id: 'many-operations',
    level: 'warning',
    what: 'An argument such as action or operation makes one tool of many, or lets it read and change.',
    why: 'One effect class cannot fit all of them: the gates are then too strict for one and too loose for another.',
    find: manyOperations,
  },
  {
    id: 'effect-not-told',
    level: 'warning',
    what: 'A tool that changes something calls itself a read, in its name or in its description.',
    why: 'A model that cannot tell a read from a change takes one for the other.',
    find: ({ contract: { identity, affordance, transactional }, mutates }) => {
      const name = withoutVersion(identity.name)
      const first = [nameWords(name)[0], nameWords(affordance.model_description)[0]]
      const isRead = first.some((word) => word !== undefined && reading.has(word))
      if (!mutates || !isRead || claimedEffect(name, affordance.model_description) !== undefined) return []
      return spotAt(
        described,
        `It speaks of reading, and its class is ${transactional.side_effect_class}.`,
        'what it changes, and what stays',
      )
    },
  },
  {
    id: 'idempotency-recommended',
    level: 'info',
    what: 'An EPHEMERAL_WRITE does not support idempotency.',
    why: 'A retry then leaves a second file, log or artifact behind.',
    find: ({ contract: { idempotency, transactional } }) =>
      effectRow(transactional.side_effect_class).idempotency === 'recommended' && !idempotency.supported
        ? spotAt('/contract/idempotency/supported', 'A repeated call writes again.', 'supported: true')
        : [],
  },
]
