// A server made with the SDK, for tests: tools of every kind of answer.
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

let cancelled = 0

export function makeServer(): McpServer {
  const server = new McpServer({ name: 'test-server', version: '1.0.0' })

  server.registerTool(
    'add',
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  )
  server.registerTool('say', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  server.registerTool('media', {}, () => ({
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'image', mimeType: 'image/png', data: Buffer.from('small').toString('base64') },
      { type: 'audio', mimeType: 'audio/wav', data: Buffer.alloc(4_000).toString('base64') },
      { type: 'resource', resource: { uri: 'file:///note.txt', mimeType: 'text/plain', text: 'a note' } },
      { type: 'resource_link', uri: 'file:///more.txt', name: 'more' },
    ],
  }))
  server.registerTool('nothing', {}, () => ({ content: [] }))
  // It says of itself that it only reads.
  server.registerTool('fail', { annotations: { readOnlyHint: true } }, () => ({
    content: [{ type: 'text', text: 'No such invoice.' }],
    isError: true,
  }))
  server.registerTool('steps', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [1, 2]) {
      if (progressToken === undefined) break
      const params = { progressToken, progress, total: 2, message: `step ${progress}` }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    return { content: [{ type: 'text', text: 'done' }] }
  })
  server.registerTool('wait', {}, async ({ mcpReq }) => {
    const aborted = new Promise<void>((resolve) => {
      mcpReq.signal.addEventListener('abort', () => resolve())
    })
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken !== undefined) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 0 } })
    }
    await aborted
    cancelled++
    return { content: [] }
  })
  server.registerTool('cancelled', {}, () => ({ content: [{ type: 'text', text: String(cancelled) }] }))
  server.registerTool('meta', {}, ({ mcpReq }) => ({
    content: [{ type: 'text', text: JSON.stringify(mcpReq._meta ?? {}) }],
  }))
  server.registerTool('environment', {}, () => ({
    content: [{ type: 'text', text: JSON.stringify({ ...process.env, argv: process.argv.slice(2) }) }],
  }))
  server.registerTool('pid', {}, () => ({ content: [{ type: 'text', text: String(process.pid) }] }))
  const fleeting = server.registerTool('fleeting', {}, () => ({ content: [{ type: 'text', text: 'still here' }] }))
  server.registerTool('withdraw', {}, () => {
    fleeting.remove()
    return { content: [] }
  })
  server.registerTool('leave', {}, () => {
    setImmediate(() => process.exit(0))
    return { content: [] }
  })
  return server
}
