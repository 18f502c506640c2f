// The floor: the function itself, on arguments that are already parsed.
import type { Contender } from './contender.ts'
import { countItems, type Order } from './order-payload.ts'

export function direct(parsed: readonly Order[]): Contender {
  return {
    name: 'direct',
    async run(texts) {
      for (let index = 0; index < texts.length; index++) await countItems(parsed[index % parsed.length] as Order)
    },
  }
}
