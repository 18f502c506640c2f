// The server of tools.ts, or any other answer to a request, over HTTP on this machine.
import { createServer, type Server } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { makeServer } from './tools.ts'

export interface HttpServer {
  readonly url: string
  readonly port: number
  /** Every request, as it came. */
  readonly seen: { readonly method: string; readonly headers: Headers; readonly body: string }[]
  close(): Promise<void>
}

export type Answer = (request: Request) => Promise<Response>

export async function serveHttp(answer?: Answer): Promise<HttpServer> {
  const handler = createMcpHandler(makeServer)
  const seen: HttpServer['seen'] = []
  const server: Server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const method = incoming.method ?? 'GET'
    const headers = new Headers(incoming.headers as Record<string, string>)
    seen.push({ method, headers, body })
    const gone = new AbortController()
    outgoing.on('close', () => gone.abort())
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method,
      headers,
      signal: gone.signal,
      ...(body === '' ? {} : { body }),
    })
    const response = await (answer ?? ((asked) => handler.fetch(asked)))(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body === null) outgoing.end()
    else
      Readable.fromWeb(response.body as ReadableStream)
        .on('error', () => outgoing.destroy())
        .pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    seen,
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
