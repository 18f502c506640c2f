// A real HTTP server on this machine that remembers what it was asked.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { testCertificate, testKey } from './test-certificate.ts'

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface LocalServer extends AsyncDisposable {
  readonly port: number
  readonly origin: string
  readonly seen: readonly Seen[]
  /** Requests of which at least the first line has come. */
  readonly begun: number
  readonly connections: number
}

export type Answer = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void

export interface LocalServerOptions {
  readonly tls?: boolean
  /** At once, before anything is said over it. */
  readonly onConnection?: () => void
}

export async function localServer(answer: Answer, options: LocalServerOptions = {}): Promise<LocalServer> {
  const seen: Seen[] = []
  let begun = 0
  let connections = 0
  const listen = (request: IncomingMessage, response: ServerResponse) => {
    begun++
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const asked = { method, url, headers, body: Buffer.concat(chunks).toString() }
      seen.push(asked)
      answer(asked, response, request)
    })
  }
  const server: Server = options.tls
    ? createTlsServer({ cert: testCertificate, key: testKey }, listen)
    : createServer(listen)
  server.on('connection', () => {
    connections++
    options.onConnection?.()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    seen,
    get begun() {
      return begun
    },
    get connections() {
      return connections
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const answerJson = (value: unknown, status = 200): Answer => {
  return (_seen, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
