// A tool's schemas for the tests of rules, and short ways to compile and to judge one expression.
import type { RuleContext } from '../../src/contract/tool/rule.ts'
import { epochMs } from '../../src/json/clock.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { compileRules } from '../../src/policy/rules/compile-rules.ts'
import { judgeRules } from '../../src/policy/rules/judge-rules.ts'
import type { CompiledRule } from '../../src/policy/rules/rule.ts'
import type { Preprocessed } from '../../src/schema/normal.ts'
import { preprocess } from '../../src/schema/preprocess.ts'

export function form(schema: JsonValue): Preprocessed {
  const reading = preprocess(schema)
  if (!reading.ok) throw new Error(reading.refusals.map(({ message }) => message).join('; '))
  return reading.schema
}

const item = {
  type: 'object',
  additionalProperties: false,
  required: ['sku', 'quantity'],
  properties: {
    sku: { type: 'string', maxLength: 20 },
    quantity: { type: 'integer' },
    price: { type: 'number' },
    tags: { type: 'array', items: { type: 'string', maxLength: 10 } },
  },
} as const

export const orderInput = form({
  type: 'object',
  additionalProperties: false,
  required: ['amount', 'price', 'items', 'currency', 'email'],
  properties: {
    amount: { type: 'integer' },
    price: { type: 'number' },
    currency: { enum: ['EUR', 'USD'] },
    email: { type: 'string', maxLength: 200 },
    note: { type: 'string' },
    limit: { type: ['integer', 'null'] },
    due: { type: 'string', format: 'date-time' },
    items: { type: 'array', maxItems: 200, items: item },
    ids: { type: 'array', items: { type: 'integer' } },
    labels: {
      type: 'object',
      maxProperties: 10,
      propertyNames: { maxLength: 20 },
      additionalProperties: { type: 'string', maxLength: 30 },
    },
  },
})

export const accountState = form({
  type: 'object',
  required: ['balance', 'status'],
  properties: { balance: { type: 'integer' }, status: { enum: ['open', 'closed'] } },
})

export const order: JsonObject = {
  amount: 120,
  price: 19.5,
  currency: 'EUR',
  email: 'ada@example.com',
  items: [
    { sku: 'a-1', quantity: 2 },
    { sku: 'b-2', quantity: 1, price: 3.25 },
  ],
}

/** 2026-01-05 is a Monday. */
export const caller: RuleContext = {
  tenant: 'acme',
  roles: ['clerk'],
  scopes: ['orders:write'],
  now: epochMs(Date.UTC(2026, 0, 5, 23, 30)),
}

export const schemas = { input: orderInput, state: accountState }

export function compileOne(when: string, given: { input: Preprocessed; state?: Preprocessed } = schemas): CompiledRule {
  const compilation = compileRules([{ id: 'rule', when, message: 'No.' }], given)
  if (!compilation.ok) throw new Error(compilation.faults.map(({ reason }) => reason).join(' '))
  const [rule] = compilation.rules
  if (rule === undefined) throw new Error('No rule was compiled')
  return rule
}

/** Why an expression is refused; undefined where it is accepted. */
export function faultOf(
  when: string,
  given: { input: Preprocessed; state?: Preprocessed } = schemas,
): string | undefined {
  const compilation = compileRules([{ id: 'rule', when, message: 'No.' }], given)
  return compilation.ok ? undefined : compilation.faults.map(({ reason }) => reason).join(' ')
}

export function judgeOne(
  when: string,
  args: JsonObject = order,
  given: { input: Preprocessed; state?: Preprocessed } = schemas,
  state?: JsonValue,
): boolean | 'error' {
  const values = { args, context: caller, ...(state === undefined ? {} : { state }) }
  const judgement = judgeRules([compileOne(when, given)], values)
  return judgement.kind === 'error' ? 'error' : judgement.kind === 'pass'
}
