// What most people write by hand: JSON.parse, a compiled Ajv validator, the function. Nothing is recorded.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Contender } from './contender.ts'
import { countItems, type Order, orderSchema } from './order-payload.ts'

export function bareAjv(): Contender {
  const validate = new Ajv2020({ strict: false }).compile<Order>(orderSchema)
  return {
    name: 'ajv',
    async run(texts) {
      for (const text of texts) {
        const order: unknown = JSON.parse(text)
        if (!validate(order)) throw new Error('The payload is meant to be valid')
        await countItems(order)
      }
    },
  }
}
