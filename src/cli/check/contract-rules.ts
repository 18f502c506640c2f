// Rules about the contract as a whole: what registration would refuse, what a model is told about the tool, and whether its class fits.

import { effectRow } from '../../contract/effects.ts'
import { findContradictions } from '../../contract/find-contradictions.ts'
import { toolContradictions } from '../../runtime/tool-contradictions.ts'
import { type LintRule, spotAt } from './lint-rule.ts'
import { claimedEffect, nameWords, withoutVersion, wordSet } from './tool-words.ts'

/** What needs a durable ledger, or users for programs, is right in a file: how Proviso will be opened is not known here. */
const needsMore = wordSet('critical-on-ephemeral-ledger commits-without-database program-without-user')

/** Registration's own refusals, one rule each. Open schemas have a rule of their own, which names every place. */
const contradictionLintRules: readonly LintRule[] = toolContradictions
  .filter(({ id }) => id !== 'input-not-closed')
  .map((row) => ({
    id: row.id,
    level: needsMore.has(row.id) ? 'info' : 'error',
    what: row.remedy,
    why: 'Registration refuses such a tool, so it would never run.',
    find: ({ tool }) => {
      if (tool === undefined) return []
      const opened = needsMore.has(row.id)
        ? ({ ledger: 'ephemeral', programUsers: 'missing' } as const)
        : ({ ledger: 'durable', programUsers: 'there' } as const)
      return findContradictions([row], { tool, ...opened }).flatMap(({ id, pointer, message }) =>
        spotAt(pointer, `Registration refuses this: ${id}.`, message),
      )
    },
  }))

const vagueVerbs = wordSet('do handle manage misc process')
const vagueWords = wordSet(
  'do handle manage misc process action call change data edit execute function get helper item it make new object operation perform request resource run set stuff task thing things tool update util',
)

const fewestWords = 5

/** One of these in an output schema says something about the result. */
const asserting = wordSet('type properties $ref allOf anyOf oneOf enum const items required')

const noOwner = new Set(['', 'unassigned', 'unknown', 'nobody'])

export const contractLintRules: readonly LintRule[] = [
  ...contradictionLintRules,
  {
    id: 'tool-undescribed',
    level: 'warning',
    what: `The model is told nothing about the tool, or less than ${fewestWords} words.`,
    why: 'The description is all that a model chooses by: what the tool does, and what it does not do.',
    find: ({ contract }) =>
      nameWords(contract.affordance.model_description).length >= fewestWords
        ? []
        : spotAt(
            '/contract/affordance/model_description',
            'The description does not say what the tool does.',
            'what it does, what it does not do, when to use it',
          ),
  },
  {
    id: 'no-negative-capability',
    level: 'warning',
    what: 'A tool that changes something does not say what it must not be used for.',
    why: 'Forbidden uses keep a model from reaching for the nearest tool that seems to fit.',
    find: ({ contract, mutates }) =>
      !mutates || contract.affordance.forbidden_use_cases.length > 0
        ? []
        : spotAt(
            '/contract/affordance/forbidden_use_cases',
            'Nothing is forbidden.',
            'the uses that look near but are wrong',
          ),
  },
  {
    id: 'vague-name',
    level: 'warning',
    what: 'The name of the tool does not say what it does, as in do_stuff, handle_billing or update.',
    why: 'Specific names keep a model from confusing tools.',
    find: ({ contract }) => {
      const { name } = contract.identity
      const words = nameWords(withoutVersion(name))
      const isVague = vagueVerbs.has(words[0] ?? '') || words.every((word) => vagueWords.has(word))
      return isVague
        ? spotAt('/contract/identity/name', `${name} says little.`, 'verb and object, such as void_invoice_v1')
        : []
    },
  },
  {
    id: 'name-without-version',
    level: 'info',
    what: 'The name of the tool does not end in its version, such as _v1.',
    why: 'Two versions can then stand side by side while callers move from one to the other.',
    find: ({ contract }) => {
      const { name, version } = contract.identity
      if (withoutVersion(name) !== name) return []
      const major = /^[0-9]+/.exec(version)?.[0] ?? '1'
      return spotAt('/contract/identity/name', `${name} names no version.`, `${name}_v${major}`)
    },
  },
  {
    id: 'owner-missing',
    level: 'info',
    what: 'No team or person is named as answerable for the tool.',
    why: 'A person who is called about a held effect needs to know whom to ask.',
    find: ({ contract }) =>
      noOwner.has(contract.identity.owner.trim().toLowerCase())
        ? spotAt('/contract/identity/owner', 'The tool has no owner.', 'a team or a person')
        : [],
  },
  {
    id: 'class-below-description',
    level: 'warning',
    what: 'The name or the description tells of a stronger effect than the effect class admits.',
    why: 'The class decides the gates: a tool that sends or charges must not pass as a read.',
    find: ({ contract: { identity, affordance, transactional } }) => {
      const claim = claimedEffect(withoutVersion(identity.name), affordance.model_description)
      const { side_effect_class: declared } = transactional
      if (claim === undefined || effectRow(claim.least).rank <= effectRow(declared).rank) return []
      const message = `It tells of "${claim.verb}", and its class is ${declared}.`
      const write = `${claim.least}, or words that fit ${declared}`
      return spotAt('/contract/transactional/side_effect_class', message, write)
    },
  },
  {
    id: 'no-examples',
    level: 'info',
    what: 'The contract shows no example of a right call.',
    why: 'Models copy examples, and tests run them.',
    find: ({ contract }) =>
      contract.affordance.examples.length > 0
        ? []
        : spotAt(
            '/contract/affordance/examples',
            'There is no example.',
            '{ description, arguments } of one right call',
          ),
  },
  {
    id: 'no-output-schema',
    level: 'info',
    what: 'A tool that changes something does not say what it returns.',
    why: 'A result without a description cannot be checked, and an agent cannot rely on it.',
    find: ({ contract, mutates }) =>
      !mutates || Object.keys(contract.affordance.output_schema).some((word) => asserting.has(word))
        ? []
        : spotAt(
            '/contract/affordance/output_schema',
            'Any result is accepted.',
            'type, properties and required of the result',
          ),
  },
  {
    id: 'cost-is-zero',
    level: 'info',
    what: 'A tool that reaches outside declares that its calls cost nothing.',
    why: 'Budgets in money count what the contract says.',
    find: ({ contract: { runtime, transactional } }) => {
      const reachesOut = effectRow(transactional.side_effect_class).confirmation === 'always'
      return reachesOut && runtime.cost_profile.cost_per_call <= 0
        ? spotAt(
            '/contract/runtime/cost_profile/cost_per_call',
            'A call is said to cost nothing.',
            'the price of one call',
          )
        : []
    },
  },
  {
    id: 'currency-not-iso',
    level: 'warning',
    what: 'The currency of the cost is no ISO 4217 code.',
    why: 'Costs of different tools can only be added when their currencies are named alike.',
    find: ({ contract }) =>
      /^[A-Z]{3}$/.test(contract.runtime.cost_profile.currency)
        ? []
        : spotAt('/contract/runtime/cost_profile/currency', 'Not a three-letter code.', 'a code such as EUR'),
  },
]
