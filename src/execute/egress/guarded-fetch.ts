// The web's fetch over checked connections: what functions of tools are given as `context.fetch`. What it rejects with says whether
// anything of this request was sent. What that means for the tool's effect only its author knows: the tool may have sent others before.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { ToolError } from '../../contract/fault.ts'
import type { Egress } from '../../contract/tool/executor.ts'
import { framing } from '../../contract/tool/framing.ts'
import { agentsFor } from './agents.ts'
import { type Network, systemNetwork } from './allowed-host.ts'
import type { OutgoingRequest } from './exchange.ts'
import { FetchError, requestFailure } from './failure.ts'
import { type Followed, follow } from './follow.ts'
import { acceptedEncodings, bodiless } from './method.ts'
import { decode, withinBytes } from './read-body.ts'

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const redirects = 20
const maxBytes = 64 * 1024 * 1024

export interface FetchTerms {
  readonly network?: Network
  /** Whether the request may still be sent: asked for each one, right before it is written. */
  readonly mayAct?: (() => boolean) | undefined
  /** False for what only listens: the process does not stay for it. */
  readonly waits?: boolean
}

const always = () => true

export function guardedFetch(
  egress: Egress,
  { network = systemNetwork, mayAct = always, waits = true }: FetchTerms = {},
): Fetch {
  return async (url, init) => {
    // The platform's own reading of url and init: what it refuses is refused alike.
    const request = new Request(url, init)
    const sending = await sendingOf(request)
    const followed = await follow(sending, {
      egress,
      network,
      agents: agentsFor(egress),
      signal: init?.signal ?? (url instanceof Request ? url.signal : undefined),
      mayAct,
      redirects: request.redirect === 'follow' ? redirects : request.redirect === 'manual' ? 'manual' : 0,
      postBecomesGet: true,
    })
    if (!waits && followed.kind === 'reply') followed.message.socket.unref()
    return responseOf(followed, request)
  }
}

async function sendingOf(request: Request): Promise<OutgoingRequest> {
  const headers: Record<string, string> = { accept: '*/*', 'accept-encoding': acceptedEncodings }
  for (const [name, value] of request.headers) {
    if (framing.has(name)) throw new TypeError(`The header ${name} is not for the caller to set.`)
    headers[name] = value
  }
  const url = new URL(request.url)
  url.hash = ''
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
  return { method: request.method, url, headers, body }
}

function responseOf(followed: Followed, request: Request): Response {
  if (followed.kind !== 'reply') throw new FetchError(requestFailure(followed, true))
  const { message, status, url } = followed
  const isEmpty = request.method === 'HEAD' || bodiless.has(status)
  const decoded = isEmpty ? undefined : decode(message)
  if (!isEmpty && decoded === undefined)
    throw unreadable(message, 'response_encoding', 'The response has an encoding that was not asked for.')
  if (isEmpty) message.resume()
  const body = decoded === undefined ? null : Readable.toWeb(Readable.from(withinBytes(decoded, maxBytes)))
  const response = shaped(message, status, body as ConstructorParameters<typeof Response>[0])
  return Object.defineProperties(response, {
    url: { value: url.href },
    redirected: { value: followed.redirected },
  })
}

/** The web has no response for every reply that HTTP lets through. */
function shaped(message: IncomingMessage, status: number, body: ConstructorParameters<typeof Response>[0]): Response {
  try {
    const headers = new Headers()
    for (let at = 0; at < message.rawHeaders.length; at += 2)
      headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '')
    return new Response(body, { status, statusText: message.statusMessage ?? '', headers })
  } catch {
    throw unreadable(message, 'response_malformed', `The reply with the status ${status} is none that can be read.`)
  }
}

/** The request was sent, and what became of it cannot be read. */
function unreadable(message: IncomingMessage, code: string, text: string): FetchError {
  message.on('error', () => undefined).destroy()
  return new FetchError(new ToolError(code, text, { effect: 'unknown', class: 'DEPENDENCY_UNAVAILABLE' }))
}
