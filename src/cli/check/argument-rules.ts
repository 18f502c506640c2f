// Rules about single arguments: what a model must not be asked for (secrets, code, whole requests), and what it cannot know how to fill. A
// risk is judged by name and description; a name that only points at a secret (secret_id, page_token) is no secret.
import { isObject, type JsonObject } from '../../json/value.ts'
import { type LintRule, type LintSpot, spotAt } from './lint-rule.ts'
import { descriptionOf, hasKeyword, type PropertyPlace, placesOf, typesOf } from './schema-places.ts'
import { inputAt, type ReadSubject } from './subject.ts'
import { nameWords, wordSet } from './tool-words.ts'

const choices = wordSet(
  'action category channel currency direction environment format frequency kind language level locale method mode order plan priority reason region role scope severity sort stage state status tier type unit visibility',
)

const ambiguous = wordSet('id identifier key name')

/** What is wrong with a property and what to write instead; undefined where nothing is. */
type PropertyCheck = (property: PropertyPlace, subject: ReadSubject) => readonly [string, string] | undefined

const perProperty =
  (check: PropertyCheck) =>
  (subject: ReadSubject): readonly LintSpot[] =>
    subject.properties.flatMap((property) => {
      const found = check(property, subject)
      return found === undefined ? [] : spotAt(inputAt + property.pointer, ...found)
    })

export const argumentLintRules: readonly LintRule[] = [
  {
    id: 'secret-argument',
    level: 'error',
    what: 'An argument asks the model for a password, token, key, card number or the like.',
    why: 'A secret that a model can fill in is in its context, its provider and every trace.',
    find: perProperty((property) =>
      holdsSecret(property)
        ? [
            `${property.name} asks the model for a secret.`,
            'a reference such as account_id; the host adds the credential',
          ]
        : undefined,
    ),
  },
  {
    id: 'code-argument',
    level: 'error',
    what: 'An argument takes SQL, a shell command or program text.',
    why: 'A person who can make the model write can then run anything.',
    find: perProperty((property) =>
      holdsCode(property)
        ? [
            `${property.name} takes code from the model.`,
            'the few operations that are meant, each with typed arguments',
          ]
        : undefined,
    ),
  },
  {
    id: 'request-argument',
    level: 'warning',
    what: 'The arguments together describe any HTTP request: an address with a method, headers or a body.',
    why: 'Such a tool reaches all that the host can reach, against what its own contract says.',
    find: ({ input }) =>
      placesOf(input).flatMap(({ pointer, schema }) =>
        holdsRequest(schema)
          ? spotAt(
              inputAt + pointer,
              'The model writes the whole request.',
              'a resource by name, and its own typed fields',
            )
          : [],
      ),
  },
  {
    id: 'free-text-choice',
    level: 'warning',
    what: 'An argument that is a choice (reason, status, type, priority …) takes any text.',
    why: 'An enum keeps a model from inventing values at the very boundary.',
    find: perProperty(({ name, voices }) => {
      const last = nameWords(name).at(-1) ?? ''
      const isFree = typesOf(voices).has('string') && !hasKeyword(voices, 'enum', 'const', 'pattern', 'format')
      return choices.has(last) && isFree ? [`${name} takes any text.`, 'enum: [the values there are]'] : undefined
    }),
  },
  {
    id: 'ambiguous-id',
    level: 'warning',
    what: 'An argument is called just id, identifier, key or name.',
    why: 'Of several ids in its context a model takes the wrong one.',
    find: perProperty(({ name }) => {
      const word = name.toLowerCase()
      return ambiguous.has(word)
        ? [`${name} does not say of what.`, `invoice_${word}, customer_${word} or the like`]
        : undefined
    }),
  },
  {
    id: 'property-undescribed',
    level: 'warning',
    what: 'An argument has no description.',
    why: 'A model then guesses what is meant from the name alone.',
    find: perProperty(({ name, voices }) =>
      descriptionOf(voices) === ''
        ? [`${name} is not described.`, 'description: what it is, and where its value comes from']
        : undefined,
    ),
  },
  {
    id: 'optional-property',
    level: 'info',
    what: 'An argument may be left out.',
    why: 'Absence should be a decision: required and nullable makes a model say so, and some providers demand it.',
    // A part of an alternative may leave out what the whole requires.
    find: perProperty(({ name, required, pointer }, { input }) =>
      required || isAlternative(pointer, input)
        ? undefined
        : [`${name} may be left out.`, "the name in required, and type [<type>, 'null'] where nothing is a value"],
    ),
  },
  {
    id: 'unbounded-text',
    level: 'info',
    what: 'A tool that changes something takes text of any length.',
    why: 'A length is the cheapest limit on what a confused model can write.',
    find: perProperty(({ name, voices }, { mutates }) => {
      const isBounded = hasKeyword(voices, 'maxLength', 'enum', 'const', 'format') || voices.some(hasFinitePattern)
      return mutates && typesOf(voices).has('string') && !isBounded
        ? [`${name} has no greatest length.`, 'maxLength']
        : undefined
    }),
  },
  {
    id: 'unbounded-list',
    level: 'info',
    what: 'A tool that changes something takes a list of any length.',
    why: 'One call could then do what a thousand were budgeted for.',
    find: perProperty(({ name, voices }, { mutates }) =>
      mutates && typesOf(voices).has('array') && !hasKeyword(voices, 'maxItems', 'enum', 'const')
        ? [`${name} has no greatest length.`, 'maxItems']
        : undefined,
    ),
  },
]

/** A pattern that is anchored at both ends and repeats nothing without end admits finitely many lengths. */
function hasFinitePattern({ pattern }: JsonObject): boolean {
  if (typeof pattern !== 'string') return false
  const bare = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]?/g, 'x')
  return bare.startsWith('^') && bare.endsWith('$') && !/[*+|]|\{[0-9]+,\}/.test(bare)
}

/** Properties of an alternative or a part often only refine what the whole declares and requires. */
function isAlternative(pointer: string, input: JsonObject): boolean {
  const inPart = /\/(?:allOf|anyOf|oneOf|then|else|dependentSchemas)\//.test(pointer)
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  return inPart && isObject(input.properties) && Object.hasOwn(input.properties, name)
}

const secretPhrases =
  'password, passwd, passphrase, passcode, secret, token, apikey, api key, credential, credentials, authorization, private key, access key, secret key, signing key, encryption key, bearer, jwt, session cookie, otp, connection string, card number, credit card, cardnumber, cvv, cvc, iban pin, pin code, social security number, ssn'.split(
    ', ',
  )

/** Before "token": a place in a list, not a credential. */
const cursorWords = wordSet('page next previous continuation cursor sync pagination resume idempotency start')
/** After a secret's name: a reference to it, or something about it. */
const referenceWords = wordSet(
  'id ids name names ref reference label count limit type kind status policy length expiry enabled required url address hint last4',
)

export function holdsSecret({ name, voices }: PropertyPlace): boolean {
  const types = typesOf(voices)
  if (types.size > 0 && [...types].every((type) => type === 'boolean' || type === 'null')) return false
  if (voices.some(({ format }) => format === 'password')) return true
  const words = nameWords(name)
  if (referenceWords.has(words.at(-1) ?? '')) return false
  const text = ` ${words.join(' ')} `
  const phrase = secretPhrases.find((candidate) => text.includes(` ${candidate} `))
  if (phrase === undefined) return false
  return !(phrase === 'token' && words.some((word) => cursorWords.has(word)))
}

const codeNames = wordSet('sql shell bash script cmd command powershell javascript python eval argv')
/** Names that hold code only when their description says so. */
const maybeCode = wordSet('code query statement expression program source snippet filter where input text')
const tellsOfCode =
  /\b(?:sql|shell|bash|powershell|source code|javascript|typescript|python|script to (?:run|execute)|code to (?:run|execute)|(?:execute|evaluate|run)s? (?:the |this )?(?:code|script|command|query|statement))\b/i

export function holdsCode({ name, voices }: PropertyPlace): boolean {
  const types = typesOf(voices)
  const isClosed = voices.some((voice) => voice.enum !== undefined || voice.const !== undefined)
  if (isClosed || !(types.size === 0 || types.has('string') || types.has('array'))) return false
  const words = nameWords(name)
  const last = words.at(-1) ?? ''
  if (referenceWords.has(last)) return false
  if (words.includes('sql') || codeNames.has(last)) return true
  return maybeCode.has(last) && tellsOfCode.test(descriptionOf(voices))
}

const addresses = wordSet('url uri endpoint href')
const requestParts = wordSet('body payload headers method data')

/** An object with an address and a part of a request beside it. */
export function holdsRequest({ properties }: JsonObject): boolean {
  if (!isObject(properties)) return false
  const names = Object.keys(properties).map((name) => nameWords(name).at(-1) ?? '')
  return names.some((name) => addresses.has(name)) && names.some((name) => requestParts.has(name))
}
