// A request with its redirects. Every hop is judged like the first one; headers that identify the caller go only to the first origin, and
// a request that changes something is never sent on to another origin.
import { type Connecting, type Exchange, exchange, type OutgoingRequest } from './exchange.ts'
import { isSafe } from './method.ts'

export interface Following extends Connecting {
  /** How many redirects are followed; one more is a failure. `manual`: a redirect is given back as it is. */
  readonly redirects: number | 'manual'
  /** Whether 301 and 302 turn a POST into a GET, as browsers do; otherwise they are given back as they are. */
  readonly postBecomesGet: boolean
}

export type Followed = (Exchange | Stray) & {
  readonly url: URL
  readonly redirected: boolean
  /** The redirect that made a look of a request that changes something: that request may have had its effect before. */
  readonly turnedBy: number | undefined
}

/** A redirect that is not followed. */
interface Stray {
  readonly kind: 'stray'
  readonly message: string
  readonly status: number
}

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Headers that any origin may see. All others may say who sent the request. */
const harmless: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'range', 'user-agent'])
const describingBody: ReadonlySet<string> = new Set(['content-type', 'content-encoding', 'content-language'])

export async function follow(first: OutgoingRequest, line: Following): Promise<Followed> {
  let sending = first
  let turnedBy: number | undefined
  for (let hops = 0; ; hops++) {
    const came = await exchange(sending, line)
    const where = { url: sending.url, redirected: hops > 0, turnedBy }
    if (came.kind !== 'reply' || !redirecting.has(came.status)) return { ...came, ...where }
    const { location } = came.message.headers
    const keepsMethod = isSafe(sending.method) || came.status >= 307
    const isGivenBack = location === undefined || (!keepsMethod && came.status !== 303 && !line.postBecomesGet)
    if (isGivenBack || line.redirects === 'manual') return { ...came, ...where }
    // Its body says nothing; the connection is not worth reading it for.
    came.message.destroy()
    const stray = (message: string): Followed => ({ kind: 'stray', message, status: came.status, ...where })
    if (hops >= line.redirects) return stray(`More than ${line.redirects} redirects.`)
    if (!URL.canParse(location, sending.url.href)) return stray('A redirect to what is no URL.')
    const next = new URL(location, sending.url.href)
    next.hash = ''
    const method = keepsMethod ? sending.method : 'GET'
    const leaves = next.origin !== sending.url.origin
    if (leaves && !isSafe(method)) return stray('A redirect would send the request on to another origin.')
    const dropsBody = method !== sending.method
    if (dropsBody) turnedBy = came.status
    sending = {
      method,
      url: next,
      body: dropsBody ? undefined : sending.body,
      headers: Object.fromEntries(
        Object.entries(sending.headers).filter(
          ([name]) => (!leaves || harmless.has(name)) && !(dropsBody && describingBody.has(name)),
        ),
      ),
    }
  }
}
