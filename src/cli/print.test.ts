// Every list and every action is printed by the same few functions: what is hostile in an item stays text, and JSON is complete.
import pico from 'picocolors'
import { describe, expect, it } from 'vitest'
import { commandIo, done, runActions } from './command.ts'
import { lineText } from './plain-text.ts'
import { type Listing, printItem, printList } from './print.ts'
import type { Terminal } from './terminal.ts'

function ioOf(words: readonly string[], options: Readonly<Record<string, unknown>> = {}) {
  const [out, notes]: [string[], string[]] = [[], []]
  const terminal: Terminal = {
    colours: pico.createColors(false),
    folder: '/nowhere',
    debug: false,
    ledger: undefined,
    interruption: () => AbortSignal.abort(),
    out: (text) => out.push(text),
    note: (text) => notes.push(text),
    input: async () => '',
  }
  return { io: commandIo(terminal, words, options), out, notes }
}

interface Order {
  readonly id: string
  readonly text: string
}

const listing: Listing<Order> = {
  columns: [
    { title: 'order', text: ({ id }) => id },
    { title: 'text', text: ({ text }) => text, length: 8, remark: ({ text }) => text },
  ],
  wire: ({ id, text }) => ({ order_id: id, text }),
  none: 'No orders fit.',
  below: ({ id }) => [`  below ${lineText(id)}`],
}
const orders: readonly Order[] = [
  { id: '1', text: 'short' },
  { id: '\u001b[2J\n22', text: 'a text that is long\u202e\nnext  continue' },
]

describe('a list', () => {
  it('has titles, aligned columns, lines below its rows, and notes; no text of an item steers the terminal or adds a row', () => {
    const { io, out, notes } = ioOf([])
    expect(printList(io, orders, listing, ['There may be more.'])).toEqual(done(true))
    expect(out).toEqual([
      'order          text',
      '1              short short',
      '  below 1',
      '\\u001b[2J\\n22  a text … a text that is long\\u202e\\nnext  continue',
      '  below \\u001b[2J\\n22',
    ])
    expect(notes).toEqual(['There may be more.'])
  })

  it('is JSON in which nothing steers a terminal, and whose values are whole [json-steers-no-terminal]', () => {
    const { io, out } = ioOf([], { json: true })
    const text =
      '\u0000\t\n\r\u001b[2J\u007f\u0085\u009b1m\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069 \\u202e ü😀'
    printList(io, [{ id: '1', text }], listing)
    printItem(io, { id: text, text }, listing)
    expect(out.join('').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
    expect(out.map((line) => JSON.parse(line))).toEqual([[{ order_id: '1', text }], { order_id: text, text }])
  })

  it('is one JSON array where JSON was asked for, also when it is empty', () => {
    const { io, out, notes } = ioOf([], { json: true })
    printList(io, orders, listing, ['There may be more.'])
    printList(io, [], listing)
    expect(out.map((text) => JSON.parse(text))).toEqual([orders.map(({ id, text }) => ({ order_id: id, text })), []])
    expect(notes).toEqual([])
  })

  it('says that there is nothing', () => {
    const { io, out, notes } = ioOf([])
    printList(io, [], listing, ['There may be more.'])
    expect([out, notes]).toEqual([[], ['No orders fit.']])
  })

  it('that goes on has one row, or one JSON object on a line, for each item', () => {
    const text = ioOf([])
    const json = ioOf([], { json: true })
    for (const order of orders.slice(0, 1)) for (const { io } of [text, json]) printItem(io, order, listing)
    expect(text.out).toEqual(['1  short short', '  below 1'])
    expect(json.out).toEqual(['{"order_id":"1","text":"short"}'])
  })
})

describe('a command with actions', () => {
  const act = runActions(
    'orders',
    {
      list: { run: async (io) => done(io.words.length === 0) },
      show: { takes: 'ORDER', asks: 'which order', run: async (io) => done(io.words[0] === 'a') },
      pin: { takes: 'ORDER [PROGRAM...]', run: async (io) => done(io.words.length === 3) },
    },
    { default: 'list' },
  )

  it.each([[[]], [['list']], [['show', 'a']], [['pin', 'a', 'b', 'c']]])('runs %j', async (words) => {
    expect(await act(ioOf(words).io)).toEqual(done(true))
  })

  it.each([
    [['close'], 'There is no action close.'],
    [['constructor'], 'There is no action constructor.'],
    [['show'], 'Say which order: proviso orders show ORDER.'],
    [['show', 'a', 'b'], 'proviso orders show takes ORDER and nothing more.'],
    [['list', 'a'], 'proviso orders list takes nothing more.'],
  ])('says what is wrong with %j', async (words, message) => {
    const details = message.startsWith('There is no') ? ['Known are list, show and pin.'] : []
    expect(await act(ioOf(words).io)).toEqual({ kind: 'misuse', message, details })
  })
})
