// The web's fetch over checked connections: what functions of tools are given as `context.fetch`. What it rejects with says whether
// anything of this request was sent. What that means for the tool's effect only its author knows: the tool may have sent others before.
import { Readable } from 'node:stream'
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
  readonly mayAct?: () => boolean
}

const always = () => true

export function guardedFetch(egress: Egress, { network = systemNetwork, mayAct = always }: FetchTerms = {}): Fetch {
  return async (url, init) => {
    // The platform's own reading of url and init: what it refuses is refused alike.
    const request = new Request(url, init)
    const sending = await sendingOf(request)
    const followed = await follow(sending, {
      egress,
      network,
      agents: agentsFor(egress),
      signal: init?.signal ?? undefined,
      mayAct,
      redirects: request.redirect === 'follow' ? redirects : request.redirect === 'manual' ? 'manual' : 0,
      postBecomesGet: true,
    })
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
  if (decoded === undefined) message.resume()
  const body = decoded === undefined ? null : Readable.toWeb(Readable.from(withinBytes(decoded, maxBytes)))
  const headers = new Headers()
  for (let at = 0; at < message.rawHeaders.length; at += 2)
    headers.append(message.rawHeaders[at] ?? '', message.rawHeaders[at + 1] ?? '')
  const response = new Response(body as ConstructorParameters<typeof Response>[0], {
    status,
    statusText: message.statusMessage ?? '',
    headers,
  })
  return Object.defineProperties(response, {
    url: { value: url.href },
    redirected: { value: followed.redirected },
  })
}
