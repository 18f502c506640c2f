// A server that breaks the protocol, in the way its first argument says. It is written by hand: no SDK would let it.
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , way = ''] = process.argv
const say = (message: unknown) =>
  process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)

/** What it does with a call; everything before is as it should be. */
const ways: Readonly<Record<string, (id: number) => void>> = {
  garbage: () => say('<html>this is no answer</html>'),
  'broken-json': (id) => say(`{"jsonrpc":"2.0","id":${id},"result":{"content":`),
  'no-object': (id) => say({ jsonrpc: '2.0', id, result: 7 }),
  'no-content': (id) => say({ jsonrpc: '2.0', id, result: { content: 'text' } }),
  'odd-content': (id) => say({ jsonrpc: '2.0', id, result: { content: [{ type: 'spell', text: 'x' }] } }),
  'bad-base64': (id) => say({ jsonrpc: '2.0', id, result: { content: [{ type: 'image', data: '<script>' }] } }),
  huge: (id) => say({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'x'.repeat(200_000) }] } }),
  never: () => undefined,
  twice: (id) => {
    say({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'first' }] } })
    say({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'second' }] } })
  },
  'other-id': (id) =>
    say({ jsonrpc: '2.0', id: id + 1_000, result: { content: [{ type: 'text', text: 'not yours' }] } }),
  'no-id': () => say({ jsonrpc: '2.0', id: null, result: { content: [{ type: 'text', text: 'of no call' }] } }),
  dies: () => process.exit(1),
  'invalid-params': (id) => say({ jsonrpc: '2.0', id, error: { code: -32602, message: 'a must be a number' } }),
  'internal-error': (id) => say({ jsonrpc: '2.0', id, error: { code: -32603, message: 'something broke' } }),
  'bad-id-error': () => say({ jsonrpc: '2.0', id: null, error: { code: -32602, message: 'of no call' } }),
  'bad-structure': (id) => say({ jsonrpc: '2.0', id, result: { content: [], structuredContent: { sum: 'many' } } }),
  waits: (id) => ask(id, 'sampling/createMessage', { messages: [], maxTokens: 1 }, answerOf(id)),
  'asks-people': (id) => {
    together.push(id)
    const requestedSchema = { type: 'object', properties: {} }
    setTimeout(() => {
      for (const one of together.splice(0))
        ask(one, 'elicitation/create', { mode: 'form', message: 'Sure?', requestedSchema }, answerOf(one))
    }, 300)
  },
  asks: (id) => {
    say({ jsonrpc: '2.0', id: 'q1', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })
    say({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'asked' }] } })
  },
}

/** Waits for an answer to a question of its own, and then answers the call with it. */
const waiting = new Map<string, (answer: { result?: { action?: string }; error?: { code: number } }) => void>()
const ask = (id: number, method: string, params: object, tell: (answer: string) => void) => {
  waiting.set(`q-${id}`, ({ result, error }) => tell(result?.action ?? `answered ${error?.code}`))
  say({ jsonrpc: '2.0', id: `q-${id}`, method, params })
}
const answerOf = (id: number) => (text: string) =>
  say({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
/** Calls that are asked about together: two where two come at once. */
const together: number[] = []

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  const { id, method, params } = message
  if (method === undefined) waiting.get(id)?.(message)
  if (method === 'initialize') {
    const { protocolVersion } = params
    say({
      jsonrpc: '2.0',
      id,
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } },
    })
  }
  if (method === 'tools/list') {
    const tools = [{ name: 'broken', inputSchema: 'none at all' }, 7, { name: 'act', inputSchema: { type: 'object' } }]
    const { cursor = '0' } = params ?? {}
    if (way === 'endless-list') say({ jsonrpc: '2.0', id, result: { tools, nextCursor: String(Number(cursor) + 1) } })
    else if (way === 'half-list') say({ jsonrpc: '2.0', id, result: cursor === '0' ? { tools, nextCursor: '1' } : {} })
    else say({ jsonrpc: '2.0', id, result: { tools } })
  }
  if (method === 'tools/call' && params.arguments?.warm === true) say({ jsonrpc: '2.0', id, result: { content: [] } })
  else if (method === 'tools/call') {
    // Where it is given a book, it does its deed first, unless the book says that it is left.
    const { DEEDS: book } = process.env
    if (book !== undefined && !readFileSync(book, 'utf8').startsWith('left')) appendFileSync(book, 'done\n')
    // By this the test knows that the call was heard. What refuses a call has not begun with it.
    const { progressToken } = params._meta
    if (way !== 'invalid-params')
      say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 0 } })
    ways[way]?.(id)
  }
})
