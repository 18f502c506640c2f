// An MCP server whose list is what a file says at the moment: the first argument names it, the second one notes every call. Calling
// `shift` makes it say that its list has changed.
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , listFile = '', callFile = ''] = process.argv
const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    const { protocolVersion } = params
    const capabilities = { tools: { listChanged: true } }
    say({ id, result: { protocolVersion, capabilities, serverInfo: { name: 'shop', version: '1' } } })
  }
  if (method === 'tools/list') {
    // Two pages, and raw: what the file holds is sent. An empty cursor is some servers' way to say that this was all.
    const tools: unknown[] = JSON.parse(readFileSync(listFile, 'utf8'))
    const half = Math.ceil(tools.length / 2)
    const result =
      params?.cursor === 'rest'
        ? { tools: tools.slice(half), nextCursor: '' }
        : { tools: tools.slice(0, half), nextCursor: 'rest' }
    say({ id, result })
  }
  if (method === 'tools/call') {
    appendFileSync(callFile, `${params.name}\n`)
    if (params.name === 'shift') say({ method: 'notifications/tools/list_changed' })
    say({ id, result: { content: [{ type: 'text', text: 'done' }] } })
  }
})
