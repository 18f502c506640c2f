// The one tool that every contender runs: a closed order schema, and argument texts of the three sizes.
// Invariant: a text of `bytes` bytes is valid, pure ASCII, and exactly that long.
export const orderSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['order', 'customer', 'items'],
  properties: {
    order: { type: 'string', pattern: '^ord_[0-9a-z]{8}$' },
    customer: {
      type: 'object',
      additionalProperties: false,
      required: ['id', 'tier'],
      properties: {
        id: { type: 'integer', minimum: 1 },
        tier: { type: 'string', enum: ['free', 'plus', 'pro'] },
      },
    },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 2_000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['sku', 'quantity'],
        properties: {
          sku: { type: 'string', minLength: 3, maxLength: 32 },
          quantity: { type: 'integer', minimum: 1, maximum: 1_000 },
          price: { type: 'number', minimum: 0 },
        },
      },
    },
    note: { type: 'string', maxLength: 4_000 },
  },
} as const

export interface Order {
  readonly order: string
  readonly customer: { readonly id: number; readonly tier: 'free' | 'plus' | 'pro' }
  readonly items: readonly { readonly sku: string; readonly quantity: number; readonly price?: number }[]
  readonly note?: string
}

/** What the tool does: as little as possible, so that the figures are the cost of calling it. */
export async function countItems({ items }: Order): Promise<{ readonly items: number }> {
  return { items: items.length }
}

/** `number` makes each text another one, so that nothing can be answered from a cache. */
export function orderText(bytes: number, number: number): string {
  const order = {
    order: `ord_${number.toString(36).padStart(8, '0')}`,
    customer: { id: 1 + (number % 1_000), tier: 'plus' },
    items: [] as unknown[],
    note: '',
  }
  let length = JSON.stringify(order).length
  for (let index = 0; index === 0 || length < bytes - 90; index++) {
    const item = { sku: `sku-${1_000 + index}`, quantity: 1 + (index % 9), price: 9.75 + index }
    order.items.push(item)
    length += JSON.stringify(item).length + (index === 0 ? 0 : 1)
  }
  return JSON.stringify({ ...order, note: 'x'.repeat(bytes - length) })
}
