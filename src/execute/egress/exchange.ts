// One request and its reply, over a connection to an address that was checked for it. It says whether anything may have been sent: what
// failed before the connection stood has had no effect.
import type { IncomingMessage, RequestOptions } from 'node:http'
import { isIP, type TcpNetConnectOpts } from 'node:net'
import type { TLSSocket, ConnectionOptions as TlsOptions } from 'node:tls'
import type { Egress } from '../../contract/tool/executor.ts'
import { unlessAborted } from '../within.ts'
import { type Agents, requestPlain, requestSecure } from './agents.ts'
import { type FoundRoute, findRoute, type Network, pinned } from './allowed-host.ts'
import { isSafe } from './method.ts'

export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export type Exchange =
  | { readonly kind: 'reply'; readonly message: IncomingMessage; readonly status: number }
  | { readonly kind: 'refused'; readonly message: string }
  /** Its sender may not act any more, and nothing of it has left. */
  | { readonly kind: 'withheld' }
  /** `sent` is false where nothing of the request can have left. */
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string; readonly sent: boolean }

export type FailureCode = 'host_not_found' | 'connect_failed' | 'connection_lost' | 'canceled'

export interface Connecting {
  readonly egress: Egress
  readonly network: Network
  readonly agents: Agents
  readonly signal: AbortSignal | undefined
  /** Asked over the open connection, right before the request is written. */
  readonly mayAct: () => boolean
}

const maxHeaderSize = 64 * 1024

export async function exchange(sending: OutgoingRequest, line: Connecting): Promise<Exchange> {
  const { url } = sending
  const encrypted = url.protocol === 'https:'
  if (!encrypted && url.protocol !== 'http:') return refused(`${url.protocol} is neither https nor http.`)
  if (url.username !== '' || url.password !== '') return refused('A URL with a user in it is not connected to.')
  const port = url.port === '' ? (encrypted ? 443 : 80) : Number(url.port)
  const target = { host: url.hostname, port, encrypted, usualPorts: [encrypted ? 443 : 80] }
  // The resolver of the system cannot be stopped, only left.
  const route = await unlessAborted(findRoute(target, line.egress, line.network.resolve), line.signal)
  if (route === undefined) return canceled(false)
  if (route.kind === 'refused') return route
  if (route.kind === 'unresolved') return failed('host_not_found', route.message, false)
  const first = await send(sending, route, port, line)
  // A kept connection that its other end has closed meanwhile: a read is asked again on a new one.
  const isStale = first.kind === 'failed' && first.code === 'connection_lost' && first.reused
  return isStale ? send(sending, route, port, { ...line, agents: undefined }) : first
}

type Sent = Exchange & { readonly reused?: boolean }

function send(
  { method, url, headers, body }: OutgoingRequest,
  { name, addresses }: FoundRoute,
  port: number,
  { network, agents, signal, mayAct }: Omit<Connecting, 'agents'> & { readonly agents: Agents | undefined },
): Promise<Sent> {
  const encrypted = url.protocol === 'https:'
  // A change goes over a connection of its own: one that was kept may be lost in a way that leaves its effect unknown.
  const agent = agents === undefined || !isSafe(method) ? false : encrypted ? agents.https : agents.http
  const literal = isIP(name) === 6 ? `[${name}]` : name
  const usual = encrypted ? 443 : 80
  const options: RequestOptions &
    Pick<TcpNetConnectOpts, 'autoSelectFamily'> &
    Pick<TlsOptions, 'ca' | 'servername' | 'rejectUnauthorized'> = {
    method,
    agent,
    host: name,
    port,
    path: `${url.pathname}${url.search}`,
    headers: {
      host: port === usual ? literal : `${literal}:${port}`,
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(body.byteLength) }),
    },
    lookup: pinned(addresses),
    autoSelectFamily: addresses.length > 1,
    maxHeaderSize,
    insecureHTTPParser: false,
    rejectUnauthorized: true,
    ...(network.ca === undefined ? {} : { ca: network.ca }),
    ...(encrypted && isIP(name) === 0 ? { servername: name } : {}),
  }
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(canceled(false))
    let sent = false
    const request = (encrypted ? requestSecure : requestPlain)(options)
    const abort = () => request.destroy(new DOMException('Given up.', 'AbortError'))
    signal?.addEventListener('abort', abort, { once: true })
    // Given to Node before the connection stands, it would leave by itself when it does: it is given only then, and leaves at once.
    const write = () => {
      if (mayAct()) {
        sent = true
        request.end(body)
      } else {
        resolve({ kind: 'withheld' })
        request.destroy()
      }
    }
    request.once('socket', (socket) => {
      // Nothing leaves before the connection stands, and over TLS not before the other end has shown who it is.
      const isOpen = encrypted ? (socket as TLSSocket).authorized : !socket.connecting
      if (isOpen) write()
      else socket.once(encrypted ? 'secureConnect' : 'connect', write)
    })
    request.once('response', (message) => {
      message.once('close', () => signal?.removeEventListener('abort', abort))
      resolve({ kind: 'reply', message, status: message.statusCode ?? 0 })
    })
    request.on('error', () => {
      signal?.removeEventListener('abort', abort)
      if (signal?.aborted) return resolve(canceled(sent))
      const reused = request.reusedSocket
      resolve(
        sent
          ? { ...failed('connection_lost', `The connection to ${name} was lost.`, true), reused }
          : failed('connect_failed', `${name} cannot be connected to.`, false),
      )
    })
    // A server that switches to another protocol unasked ends the connection without a reply and without an error.
    request.once('close', () => {
      signal?.removeEventListener('abort', abort)
      resolve(failed('connection_lost', `The connection to ${name} was lost.`, true))
    })
  })
}

const refused = (message: string): Extract<Exchange, { kind: 'refused' }> => ({ kind: 'refused', message })

const failed = (code: FailureCode, message: string, sent: boolean): Extract<Exchange, { kind: 'failed' }> => ({
  kind: 'failed',
  code,
  message,
  sent,
})

const canceled = (sent: boolean) => failed('canceled', 'The request was given up.', sent)
