// What the rules about advice take for advice, and what they leave alone.
import { describe, expect, it } from 'vitest'
import { plainContract } from '../../../test/plain-contract.ts'
import type { JsonObject } from '../../json/value.ts'
import { adviceLintRules } from './advice-rules.ts'
import { placesOf, propertiesOf } from './schema-places.ts'
import type { ReadSubject } from './subject.ts'

interface Given {
  readonly properties?: JsonObject
  readonly required?: readonly string[]
  readonly description?: string
  readonly effect?: 'READ_ONLY' | 'MEDIUM_RISK_WRITE'
  readonly name?: string
}

function found(id: string, given: Given): boolean {
  const { properties = {}, description = 'Does one thing.', effect = 'MEDIUM_RISK_WRITE', name = 'thing_v1' } = given
  const input: JsonObject = { type: 'object', properties, required: given.required ?? [] }
  const contract = plainContract({
    identity: { name },
    affordance: { model_description: description, input_schema: input },
    transactional: { side_effect_class: effect },
  })
  const mutates = effect !== 'READ_ONLY'
  const subject = { contract, mutates, input, properties: propertiesOf(input, placesOf(input)) } as ReadSubject
  return (adviceLintRules.find((rule) => rule.id === id)?.find(subject) ?? []).length > 0
}

const described = (name: string, description: string): JsonObject => ({ [name]: { type: 'string', description } })

describe('a description of an argument', () => {
  it.each([
    ['id', 'The identifier.'],
    ['invoice_id', 'Invoice id.'],
    ['customerName', 'The name of the customer'],
  ])('says nothing: %s, %s [TC-061]', (name, text) => {
    expect(found('property-says-nothing', { properties: described(name, text) })).toBe(true)
  })

  it.each([
    ['invoice_id', 'Id of the invoice, from the lookup.'],
    ['reason', 'Why it is voided.'],
    ['day', ''],
  ])('says something, or is missing: %s, %s', (name, text) => {
    expect(found('property-says-nothing', { properties: described(name, text) })).toBe(false)
  })
})

describe('advice', () => {
  it.each(['Guess the account where it is not given.', 'When unsure, assume today.', 'Infer it from the name.'])(
    'to guess is found: %s [TC-065]',
    (description) => {
      expect(found('told-to-guess', { description })).toBe(true)
      expect(found('told-to-guess', { properties: described('account', description) })).toBe(true)
    },
  )

  it.each(['Ask the user; never guess.', 'Do not assume a value.', 'Ask instead of inferring.'])(
    'not to guess is left alone: %s',
    (description) => expect(found('told-to-guess', { description })).toBe(false),
  )
})

describe('a tool', () => {
  const acting = (values: readonly string[]): JsonObject => ({ action: { enum: values, description: 'What to do.' } })

  it('of many operations is found, and one that mixes reading and changing [TC-070, TC-331]', () => {
    expect(found('many-operations', { properties: acting(['list', 'create', 'delete']) })).toBe(true)
    expect(found('many-operations', { properties: acting(['show', 'void']) })).toBe(true)
    expect(found('many-operations', { properties: acting(['open', 'shut']) })).toBe(false)
    expect(found('many-operations', { properties: { priority: { enum: ['low', 'mid', 'high'] } } })).toBe(false)
  })

  it('that changes something and speaks of reading is found [TC-064]', () => {
    const description = 'Fetches the orders of one customer.'
    expect(found('effect-not-told', { description })).toBe(true)
    expect(found('effect-not-told', { description, effect: 'READ_ONLY' })).toBe(false)
    expect(found('effect-not-told', { description: 'Books a table for two.' })).toBe(false)
    expect(found('effect-not-told', { name: 'get_or_create_order_v1', description: 'Creates an order.' })).toBe(false)
  })

  const needed = (description: string): Parameters<typeof found>[1] => ({
    properties: described('account', description),
    required: ['account'],
  })

  it('that needs a value and says nowhere to ask for it is found [TC-065]', () => {
    expect(found('no-repair-hint', needed('The account that pays.'))).toBe(true)
    expect(found('no-repair-hint', needed('The account that pays. Ask the user for it.'))).toBe(false)
    expect(found('no-repair-hint', { ...needed('The account that pays.'), effect: 'READ_ONLY' })).toBe(false)
  })

  it('that says nothing of what has to hold first is found [TC-060]', () => {
    expect(found('no-preconditions', { description: 'Books a table.' })).toBe(true)
    expect(found('no-preconditions', { description: 'Books a table; only for guests with an account.' })).toBe(false)
    expect(found('no-preconditions', needed('The account, from the lookup.'))).toBe(false)
  })
})
