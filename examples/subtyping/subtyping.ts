// Is every value of one schema a value of another? Three questions about a tool whose callers must not break, and one by hand.
// #region ask
import { isSubschema } from '../../src/subschema/index.ts'

// R: what callers send today.
const sentToday = {
  type: 'object',
  required: ['charge_id', 'amount'],
  additionalProperties: false,
  properties: {
    charge_id: { type: 'string', pattern: '^ch_[0-9]+$' },
    amount: { type: 'number', minimum: 1, maximum: 500, multipleOf: 0.01 },
    reason: { enum: ['duplicate', 'fraud'] },
  },
}

// L: what the next version of the tool accepts. Wider in all but one place.
const properties = {
  charge_id: { type: 'string', minLength: 4 },
  amount: { type: 'number', exclusiveMinimum: 0 },
  reason: { type: 'string', maxLength: 200 },
}
const strict = { type: 'object', required: ['charge_id', 'amount', 'reason'], properties }
const kind = { type: 'object', required: ['charge_id', 'amount'], properties }

console.log(isSubschema(sentToday, strict))
console.log(isSubschema(sentToday, kind))
console.log(isSubschema(sentToday, { $ref: 'https://example.com/refund.json' }))
// #endregion ask

// #region by-hand
const r = { type: ['integer', 'string'], minimum: 0 }
const l = { anyOf: [{ type: 'string' }, { type: 'number', minimum: 1 }] }
console.log(isSubschema(r, l))
// #endregion by-hand
