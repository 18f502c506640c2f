// A desk that may refund two hundred euros a day: what a call takes, what a refusal says, what is left, and more of it once a person agrees.
// #region tool
import { defineTool, openProviso } from '../../src/index.ts'

export const refunds: { readonly charge: string; readonly cents: number }[] = []

const refund = defineTool({
  name: 'refund',
  description: 'Refunds a part of a charge.',
  effect: 'MEDIUM_RISK_WRITE',
  input: {
    type: 'object',
    properties: {
      charge: { type: 'string', maxLength: 40 },
      cents: { type: 'integer', minimum: 1 },
      currency: { enum: ['EUR', 'USD'] },
    },
    required: ['charge', 'cents', 'currency'],
    additionalProperties: false,
  },
  operation: ['/charge'],
  amount: { pointer: '/cents', decimals: 2, currency: '/currency' },
  trusted: true, // what it returns comes from the desk itself
  execute({ charge, cents }) {
    refunds.push({ charge, cents })
    return { refunded: cents }
  },
})
// #endregion tool

const rates = defineTool({
  name: 'look_up_rate',
  description: 'Looks up the rate of a currency.',
  effect: 'READ_ONLY',
  input: { type: 'object', properties: {}, additionalProperties: false },
  cost: { currency: 'EUR', cost_per_call: 0.002 },
  trusted: true,
  execute: () => ({ rate: 1.08 }),
})

/** Stands for your sign-on: it tells whose credential this is. */
const people = new Map([
  ['key-of-olga', 'olga'],
  ['key-of-tom', 'tom'],
])
const identity = {
  async verify(credential: string) {
    const user = people.get(credential)
    if (user === undefined) return undefined
    const person = { tenant: 'default', user, roles: ['approver'], scopes: [], agent: undefined }
    return { ...person, keyId: credential, kind: 'person' as const }
  },
}

// #region limits
const proviso = await openProviso({
  tools: [refund, rates],
  identity,
  budgets: {
    write: 50, // calls that change something, in one run
    limits: [
      { id: 'refunds-a-day', kind: 'financial', per: 'tenant', windowSec: 86_400, max: 200, currency: 'EUR' },
      { id: 'refunds-of-a-clerk', kind: 'write', per: 'user', windowSec: 3_600, max: 20, tools: ['refund'] },
    ],
  },
})
// #endregion limits

// #region refused
const context = { user: 'ann', run: 'chat-7' }
const ask = (charge: string, cents: number) =>
  proviso.call({ tool: 'refund', arguments: { charge, cents, currency: 'EUR' } }, context)

await ask('ch_1', 180_00)
const refused = await ask('ch_2', 35_00)
console.log(refused.observation.status.taxonomy_class, refused.effect)
console.log(refused.feedback?.field_errors[0]?.expected) // at most 20 EUR
// #endregion refused
await proviso.call({ tool: 'look_up_rate' }, context)

// #region left
for (const { limit, used, max, unit } of await proviso.budgets.left(context)) {
  if (limit.startsWith('refunds')) console.log(`${limit}: ${used} of ${max} ${unit}`)
}
// #endregion left

// #region more
const packet = await proviso.budgets.request({ limit: 'refunds-a-day', amount: 50, why: 'Two late parcels.' }, context)
for (const credential of ['key-of-olga', 'key-of-tom']) {
  await proviso.approvals.approve(packet.id, { credential, packetHash: packet.packetHash })
}
const again = await ask('ch_2', 35_00)
console.log(again.effect, refunds.length)
// #endregion more
await proviso.close()
