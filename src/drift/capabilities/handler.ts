// The server's side: answers GET /v1/agent/capabilities with what the caller may use. A caller without a proof of identity learns nothing;
// the answer to one caller is never kept for another.

import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Surface } from '../../contract/tool/surface.ts'
import { sha256 } from '../../json/hash.ts'
import { capabilitiesOf } from './envelope.ts'

export type Authenticated<Context> =
  | { readonly ok: true; readonly context: Context }
  /** 401: the caller is not known. 403: the caller is known and not allowed. */
  | { readonly ok: false; readonly status: 401 | 403 }

export interface CapabilitiesSource<Context> {
  surface(context: Context): Awaitable<Surface>
}

export type CapabilitiesHandler = (request: Request) => Promise<Response>

/** For any server that speaks Request and Response: `capabilitiesHandler(proviso, authenticate)`. */
export function capabilitiesHandler<Context>(
  source: CapabilitiesSource<Context>,
  authenticate: (request: Request) => Awaitable<Authenticated<Context>>,
): CapabilitiesHandler {
  const written = new WeakMap<Surface, Written>()
  return async (request) => {
    const isHead = request.method === 'HEAD'
    if (request.method !== 'GET' && !isHead) return problem(405, 'Method Not Allowed', { allow: 'GET, HEAD' })
    const caller = await authenticate(request)
    if (!caller.ok) {
      return caller.status === 401
        ? problem(401, 'Unauthorized', { 'www-authenticate': 'Bearer' })
        : problem(403, 'Forbidden', {})
    }
    const surface = await source.surface(caller.context)
    let envelope = written.get(surface)
    if (envelope === undefined) {
      envelope = write(surface)
      written.set(surface, envelope)
    }
    const { body, etag } = envelope
    const headers = { ...shared, etag, 'content-type': 'application/json' }
    if (isKnown(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers: { ...shared, etag } })
    return new Response(isHead ? null : body, { status: 200, headers })
  }
}

interface Written {
  readonly body: string
  readonly etag: string
}

function write(surface: Surface): Written {
  const body = JSON.stringify(capabilitiesOf(surface))
  return { body, etag: `"${sha256(body)}"` }
}

/** Kept by the caller alone, and asked about each time. */
const shared = { 'cache-control': 'private, no-cache', vary: 'authorization', 'x-content-type-options': 'nosniff' }

function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}

function problem(status: number, title: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify({ type: 'about:blank', title, status }), {
    status,
    headers: { ...shared, ...headers, 'content-type': 'application/problem+json' },
  })
}
