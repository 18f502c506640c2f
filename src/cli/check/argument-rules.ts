// Rules about single arguments: what a model must not be asked for, and what it cannot know how to fill.
import { isObject, type JsonObject } from '../../json/value.ts'
import type { RuleRow, Spot } from './finding.ts'
import { wordsOf } from './name-words.ts'
import { holdsCode, holdsRequest, holdsSecret } from './risky-arguments.ts'
import { descriptionOf, type PropertyPlace, placesOf, says, typesOf } from './schema-places.ts'
import { inputAt, type ReadSubject, type Subject } from './subject.ts'

const choices: ReadonlySet<string> = new Set([
  ...[
    'action',
    'category',
    'channel',
    'currency',
    'direction',
    'environment',
    'format',
    'frequency',
    'kind',
    'language',
    'level',
    'locale',
    'method',
    'mode',
  ],
  ...[
    'order',
    'plan',
    'priority',
    'reason',
    'region',
    'role',
    'scope',
    'severity',
    'sort',
    'stage',
    'state',
    'status',
    'tier',
    'type',
    'unit',
    'visibility',
  ],
])

const ambiguous: ReadonlySet<string> = new Set(['id', 'identifier', 'key', 'name'])

/** Speaks once per property for which `speaks` has something to say. */
function perProperty(speaks: (property: PropertyPlace, subject: ReadSubject) => Omit<Spot, 'pointer'> | undefined) {
  return (subject: Subject): readonly Spot[] =>
    subject.ok
      ? subject.properties.flatMap((property) => {
          const spot = speaks(property, subject)
          return spot === undefined ? [] : [{ pointer: inputAt + property.pointer, ...spot }]
        })
      : []
}

export const argumentRules: readonly RuleRow[] = [
  {
    id: 'secret-argument',
    level: 'error',
    what: 'An argument asks the model for a password, token, key, card number or the like.',
    why: 'A secret that a model can fill in is in its context, its provider and every trace.',
    find: perProperty((property) =>
      holdsSecret(property)
        ? {
            message: `${property.name} asks the model for a secret.`,
            write: 'a reference such as account_id; the host adds the credential',
          }
        : undefined,
    ),
  },
  {
    id: 'code-argument',
    level: 'error',
    what: 'An argument takes SQL, a shell command or program text.',
    why: 'Whoever can make the model write can then run anything.',
    find: perProperty((property) =>
      holdsCode(property)
        ? {
            message: `${property.name} takes code from the model.`,
            write: 'the few operations that are meant, each with typed arguments',
          }
        : undefined,
    ),
  },
  {
    id: 'request-argument',
    level: 'warning',
    what: 'The arguments together describe any HTTP request: an address with a method, headers or a body.',
    why: 'Such a tool reaches whatever the host can reach, whatever its own contract says.',
    find: (subject) =>
      subject.ok
        ? placesOf(subject.input).flatMap(({ pointer, schema }) =>
            holdsRequest(schema)
              ? [
                  {
                    pointer: inputAt + pointer,
                    message: 'The model writes the whole request.',
                    write: 'a resource by name, and its own typed fields',
                  },
                ]
              : [],
          )
        : [],
  },
  {
    id: 'free-text-choice',
    level: 'warning',
    what: 'An argument that is a choice (reason, status, type, priority …) takes any text.',
    why: 'An enum keeps a model from inventing values at the very boundary.',
    find: perProperty(({ name, voices }) => {
      const last = wordsOf(name).at(-1) ?? ''
      const isFree = typesOf(voices).has('string') && !says(voices, 'enum', 'const', 'pattern', 'format')
      return choices.has(last) && isFree
        ? { message: `${name} takes any text.`, write: 'enum: [the values there are]' }
        : undefined
    }),
  },
  {
    id: 'ambiguous-id',
    level: 'warning',
    what: 'An argument is called just id, identifier, key or name.',
    why: 'Of several ids in its context a model takes the wrong one.',
    find: perProperty(({ name }) =>
      ambiguous.has(name.toLowerCase())
        ? {
            message: `${name} does not say of what.`,
            write: `invoice_${name.toLowerCase()}, customer_${name.toLowerCase()} or the like`,
          }
        : undefined,
    ),
  },
  {
    id: 'property-undescribed',
    level: 'warning',
    what: 'An argument has no description.',
    why: 'A model then guesses what is meant from the name alone.',
    find: perProperty(({ name, voices }) =>
      descriptionOf(voices) === ''
        ? { message: `${name} is not described.`, write: 'description: what it is, and where its value comes from' }
        : undefined,
    ),
  },
  {
    id: 'optional-property',
    level: 'info',
    what: 'An argument may be left out.',
    why: 'Absence should be a decision: required and nullable makes a model say so, and some providers demand it.',
    find: perProperty(({ name, required, pointer }, { input }) => {
      // What a reference may or may not bring along is said where it is used.
      if (required || isAlternative(pointer, input)) return undefined
      return {
        message: `${name} may be left out.`,
        write: "the name in required, and type [<type>, 'null'] where nothing is a value",
      }
    }),
  },
  {
    id: 'unbounded-text',
    level: 'info',
    what: 'A tool that changes something takes text of any length.',
    why: 'A length is the cheapest limit on what a confused model can write.',
    find: perProperty(({ name, voices }, { mutates }) => {
      const isBounded = says(voices, 'maxLength', 'enum', 'const', 'format') || voices.some(hasFinitePattern)
      return mutates && typesOf(voices).has('string') && !isBounded
        ? { message: `${name} has no greatest length.`, write: 'maxLength' }
        : undefined
    }),
  },
  {
    id: 'unbounded-list',
    level: 'info',
    what: 'A tool that changes something takes a list of any length.',
    why: 'One call could then do what a thousand were budgeted for.',
    find: perProperty(({ name, voices }, { mutates }) =>
      mutates && typesOf(voices).has('array') && !says(voices, 'maxItems', 'enum', 'const')
        ? { message: `${name} has no greatest length.`, write: 'maxItems' }
        : undefined,
    ),
  },
]

/** A pattern that is anchored at both ends and repeats nothing without end admits finitely many lengths. */
function hasFinitePattern({ pattern }: JsonObject): boolean {
  if (typeof pattern !== 'string') return false
  const bare = pattern.replaceAll(/\\./g, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  return bare.startsWith('^') && bare.endsWith('$') && !/[*+|]|\{[0-9]+,\}/.test(bare)
}

/** Properties of an alternative or a part often only refine what the whole declares and requires. */
function isAlternative(pointer: string, input: JsonObject): boolean {
  const inPart = /\/(?:allOf|anyOf|oneOf|then|else|dependentSchemas)\//.test(pointer)
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  return inPart && isObject(input.properties) && Object.hasOwn(input.properties, name)
}
