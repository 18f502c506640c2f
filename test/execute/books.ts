// What the tests of verification read back: books in which a tool enters payments, or fails to.
import { defineTool, type EffectClass, type JsonObject, type StateVerifier, type ToolSource } from '../../src/index.ts'

export interface Books {
  /** By payment: what the books say of it. */
  readonly entries: Map<string, JsonObject>
  /** What entering makes of a payment; undefined: nothing is entered. */
  write: (id: string, amount: number, key: string | undefined) => JsonObject | undefined
  /** How often the books were read. */
  readings: number
}

export const openBooks = (): Books => ({
  entries: new Map(),
  write: (id, amount, key) => ({ id, amount: `${amount}.00`, payer: 'ann', key: key ?? null, status: 'entered' }),
  readings: 0,
})

interface Extras {
  readonly delayMs?: number
  readonly times?: number
  readonly everyMs?: number
  readonly timeoutMs?: number
  readonly verify?: readonly StateVerifier[]
  readonly compensation?: string
}

/** The provider's own ledger, found by the key that it was given. */
export const ledgerOf = (books: Books, change: Partial<StateVerifier> = {}): StateVerifier => ({
  source: 'books',
  audit: true,
  creates: true,
  target: { id: '/args/id' },
  read({ id }) {
    books.readings++
    return books.entries.get(String(id)) ?? null
  },
  expect: [
    { path: '/id', is: 'equals', from: '/args/id', about: 'target' },
    { path: '/amount', is: 'equals', from: '/args/amount', about: 'amount' },
    { path: '/key', is: 'equals', from: '/call/idempotency_key', about: 'key' },
    { path: '/payer', is: 'equals', from: '/call/user', about: 'actor' },
    { path: '/status', is: 'in', value: ['entered', 'cleared'] },
  ],
  ...change,
})

export function enterPayment(books: Books, effect: EffectClass, extras: Extras = {}): ToolSource {
  const { verify, delayMs, times, everyMs, ...rest } = extras
  return defineTool({
    name: 'enter_payment_v1',
    description: 'Enters one payment.',
    effect,
    ...rest,
    input: {
      type: 'object',
      properties: { id: { type: 'string' }, amount: { type: 'integer' } },
      required: ['id', 'amount'],
      additionalProperties: false,
    },
    trusted: true,
    verify: verify ?? [ledgerOf(books)],
    verification: {
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(times === undefined ? {} : { times }),
      ...(everyMs === undefined ? {} : { everyMs }),
    },
    execute({ id, amount }, { idempotencyKey }) {
      const entry = books.write(id, amount, idempotencyKey)
      if (entry !== undefined) books.entries.set(id, entry)
      return { entered: id }
    },
  })
}

export const payment = (callId: string, id = 'p-1') => ({
  tool: 'enter_payment_v1',
  arguments: { id, amount: 12 },
  callId,
})
