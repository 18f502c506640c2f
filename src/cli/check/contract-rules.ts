// Rules about the contract as a whole: what registration would refuse, what a model is told about the tool, and whether its class fits.
import { findContradictions } from '../../contract/contradiction.ts'
import { effectRow } from '../../contract/effects.ts'
import { toolContradictions } from '../../runtime/contradictions.ts'
import { claimedEffect } from './claimed-effect.ts'
import type { RuleRow, Spot } from './finding.ts'
import { withoutVersion, wordsOf } from './name-words.ts'

/** What needs a durable ledger is right in a file: which ledger there will be is not known here. */
const needsLedger: ReadonlySet<string> = new Set(['critical-on-ephemeral-ledger', 'commits-without-database'])

/** Registration's own refusals, one rule each. Open schemas have a rule of their own, which names every place. */
const contradictionRules: readonly RuleRow[] = toolContradictions
  .filter(({ id }) => id !== 'input-not-closed')
  .map((row) => ({
    id: row.id,
    level: needsLedger.has(row.id) ? 'info' : 'error',
    what: row.remedy,
    why: 'Registration refuses a tool that contradicts itself.',
    find: (subject) => {
      if (!subject.ok || subject.tool === undefined) return []
      const ledger = needsLedger.has(row.id) ? 'ephemeral' : 'durable'
      return findContradictions([row], { tool: subject.tool, ledger }).map(({ id, pointer, message }) => ({
        pointer,
        message: `Registration refuses this: ${id}.`,
        write: message,
      }))
    },
  }))

const vagueVerbs: ReadonlySet<string> = new Set(['do', 'handle', 'manage', 'misc', 'process'])
const vagueWords: ReadonlySet<string> = new Set([
  ...vagueVerbs,
  ...[
    'action',
    'call',
    'change',
    'data',
    'edit',
    'execute',
    'function',
    'get',
    'helper',
    'item',
    'it',
    'make',
    'new',
    'object',
  ],
  ...[
    'operation',
    'perform',
    'request',
    'resource',
    'run',
    'set',
    'stuff',
    'task',
    'thing',
    'things',
    'tool',
    'update',
    'util',
  ],
])

const fewestWords = 5

export const contractRules: readonly RuleRow[] = [
  ...contradictionRules,
  {
    id: 'tool-undescribed',
    level: 'warning',
    what: `The model is told nothing about the tool, or less than ${fewestWords} words.`,
    why: 'The description is all that a model chooses by: what the tool does, and what it does not do.',
    find: (subject) => {
      if (!subject.ok || wordsOf(subject.contract.affordance.model_description).length >= fewestWords) return []
      const message = 'The description does not say what the tool does.'
      return [
        {
          pointer: '/contract/affordance/model_description',
          message,
          write: 'what it does, what it does not do, when to use it',
        },
      ]
    },
  },
  {
    id: 'no-negative-capability',
    level: 'warning',
    what: 'A tool that changes something does not say what it must not be used for.',
    why: 'Forbidden uses keep a model from reaching for the nearest tool that seems to fit.',
    find: (subject) => {
      if (!subject.ok || !subject.mutates || subject.contract.affordance.forbidden_use_cases.length > 0) return []
      return [
        {
          pointer: '/contract/affordance/forbidden_use_cases',
          message: 'Nothing is forbidden.',
          write: 'the uses that look near but are wrong',
        },
      ]
    },
  },
  {
    id: 'vague-name',
    level: 'warning',
    what: 'The name of the tool does not say what it does, as in do_stuff, handle_billing or update.',
    why: 'Specific names keep a model from confusing tools.',
    find: (subject) => {
      if (!subject.ok) return []
      const { name } = subject.contract.identity
      const words = wordsOf(withoutVersion(name))
      const isVague = vagueVerbs.has(words[0] ?? '') || words.every((word) => vagueWords.has(word))
      return isVague
        ? [
            {
              pointer: '/contract/identity/name',
              message: `${name} says little.`,
              write: 'verb and object, such as void_invoice_v1',
            },
          ]
        : []
    },
  },
  {
    id: 'name-without-version',
    level: 'info',
    what: 'The name of the tool does not end in its version, such as _v1.',
    why: 'Two versions can then stand side by side while callers move from one to the other.',
    find: (subject) => {
      if (!subject.ok) return []
      const { name, version } = subject.contract.identity
      if (withoutVersion(name) !== name) return []
      const major = /^[0-9]+/.exec(version)?.[0] ?? '1'
      return [{ pointer: '/contract/identity/name', message: `${name} names no version.`, write: `${name}_v${major}` }]
    },
  },
  {
    id: 'owner-missing',
    level: 'info',
    what: 'Nobody is named as answerable for the tool.',
    why: 'Whoever is woken by a held effect needs to know whom to ask.',
    find: (subject) => {
      if (
        !subject.ok ||
        !['', 'unassigned', 'unknown', 'nobody'].includes(subject.contract.identity.owner.trim().toLowerCase())
      )
        return []
      return [{ pointer: '/contract/identity/owner', message: 'The tool has no owner.', write: 'a team or a person' }]
    },
  },
  {
    id: 'class-below-description',
    level: 'warning',
    what: 'The name or the description tells of a stronger effect than the effect class admits.',
    why: 'The class decides the gates: a tool that sends or charges must not pass as a read.',
    find: (subject) => {
      if (!subject.ok) return []
      const { identity, affordance, transactional } = subject.contract
      const claim = claimedEffect(withoutVersion(identity.name), affordance.model_description)
      const { side_effect_class: declared } = transactional
      if (claim === undefined || effectRow(claim.least).rank <= effectRow(declared).rank) return []
      const message = `It tells of "${claim.verb}", and its class is ${declared}.`
      return [
        {
          pointer: '/contract/transactional/side_effect_class',
          message,
          write: `${claim.least}, or words that fit ${declared}`,
        },
      ]
    },
  },
  {
    id: 'no-examples',
    level: 'info',
    what: 'The contract shows no example of a right call.',
    why: 'Models copy examples, and tests run them.',
    find: (subject) =>
      subject.ok && subject.contract.affordance.examples.length === 0
        ? [
            {
              pointer: '/contract/affordance/examples',
              message: 'There is no example.',
              write: '{ description, arguments } of one right call',
            },
          ]
        : [],
  },
  {
    id: 'no-output-schema',
    level: 'info',
    what: 'A tool that changes something does not say what it returns.',
    why: 'A result that nothing describes is neither checked nor something an agent can rely on.',
    find: (subject) => {
      if (
        !subject.ok ||
        !subject.mutates ||
        Object.keys(subject.contract.affordance.output_schema).some((word) => asserting.has(word))
      )
        return []
      return [
        {
          pointer: '/contract/affordance/output_schema',
          message: 'Any result is accepted.',
          write: 'type, properties and required of the result',
        },
      ]
    },
  },
  {
    id: 'cost-is-zero',
    level: 'info',
    what: 'A tool that reaches outside declares that its calls cost nothing.',
    why: 'Budgets in money count what the contract says.',
    find: (subject) => {
      if (!subject.ok || subject.contract.runtime.cost_profile.cost_per_call > 0) return []
      const reachesOut = effectRow(subject.contract.transactional.side_effect_class).confirmation === 'always'
      return reachesOut
        ? [
            {
              pointer: '/contract/runtime/cost_profile/cost_per_call',
              message: 'A call is said to cost nothing.',
              write: 'the price of one call',
            },
          ]
        : []
    },
  },
  {
    id: 'currency-not-iso',
    level: 'warning',
    what: 'The currency of the cost is no ISO 4217 code.',
    why: 'Costs of different tools can only be added when their currencies are named alike.',
    find: (subject): readonly Spot[] => {
      if (!subject.ok || /^[A-Z]{3}$/.test(subject.contract.runtime.cost_profile.currency)) return []
      return [
        {
          pointer: '/contract/runtime/cost_profile/currency',
          message: 'Not a three-letter code.',
          write: 'a code such as EUR',
        },
      ]
    },
  },
]

/** One of these in an output schema says something about the result. */
const asserting: ReadonlySet<string> = new Set([
  'type',
  'properties',
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'enum',
  'const',
  'items',
  'required',
])
