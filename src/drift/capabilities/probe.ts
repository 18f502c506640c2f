// One request for what a relay offers: its deadline covers the body, and the body has a bounded size. It returns what it got, and throws
// nothing; the credential goes to the named address alone, never along a redirect.
import type { ContractBreach } from './errors.ts'

export type Probed =
  | { readonly kind: 'envelope'; readonly body: string; readonly etag: string | undefined }
  | { readonly kind: 'unchanged' }
  /** It answers, and has nothing at this address: one from before there were capabilities. */
  | { readonly kind: 'absent'; readonly status: number }
  | { readonly kind: 'unreachable'; readonly why: string }
  | { readonly kind: 'breach'; readonly code: ContractBreach; readonly status: number; readonly message: string }

export interface ProbeInput {
  readonly url: string
  readonly credential: string
  readonly etag: string | undefined
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly fetch: typeof fetch
}

const absent: ReadonlySet<number> = new Set([404, 405, 410, 501])
const passing: ReadonlySet<number> = new Set([408, 425, 429])

export async function probe(input: ProbeInput): Promise<Probed> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  // Raced, and not only aborted: a fetch of the host may ignore its signal.
  const late = new Promise<Probed>((resolve) => {
    timer = setTimeout(() => {
      resolve({ kind: 'unreachable', why: `it did not answer within ${input.timeoutMs} ms` })
      controller.abort()
    }, input.timeoutMs)
  })
  try {
    return await Promise.race([requestCapabilities(input, controller.signal), late])
  } finally {
    clearTimeout(timer)
    // Drops the rest of a body that is not read.
    controller.abort()
  }
}

async function requestCapabilities(
  { url, credential, etag, maxBytes, fetch }: ProbeInput,
  signal: AbortSignal,
): Promise<Probed> {
  const headers = new Headers({ accept: 'application/json', authorization: `Bearer ${credential}` })
  if (etag !== undefined) headers.set('if-none-match', etag)
  try {
    const response = await fetch(url, { headers, signal, redirect: 'manual', cache: 'no-store' })
    const { status } = response
    if (status === 200) return await readBody(response, maxBytes)
    if (status === 304 && etag !== undefined) return { kind: 'unchanged' }
    return meaningOf(status)
  } catch (error) {
    return { kind: 'unreachable', why: failureReason(error) }
  }
}

async function readBody(response: Response, maxBytes: number): Promise<Probed> {
  const tooLarge: Probed = {
    kind: 'breach',
    code: 'malformed',
    status: 200,
    message: `The capabilities are larger than ${maxBytes} bytes.`,
  }
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) return tooLarge
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return tooLarge
    chunks.push(chunk)
  }
  try {
    const body = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    return { kind: 'envelope', body, etag: response.headers.get('etag') ?? undefined }
  } catch {
    return { kind: 'breach', code: 'malformed', status: 200, message: 'The capabilities are not UTF-8.' }
  }
}

function meaningOf(status: number): Probed {
  if (absent.has(status)) return { kind: 'absent', status }
  if (status >= 500 || passing.has(status)) return { kind: 'unreachable', why: `it answered with the status ${status}` }
  if (status === 401 || status === 403) {
    const message = `The relay refuses the credential (status ${status}). Use one that may read capabilities.`
    return { kind: 'breach', code: 'unauthorized', status, message }
  }
  const message =
    status >= 300 && status < 400
      ? `The relay redirects (status ${status}), and a credential is not sent on. Name the address it redirects to.`
      : `The relay answers with the status ${status} instead of its capabilities.`
  return { kind: 'breach', code: 'unexpected_status', status, message }
}

/** The code of the cause, such as ECONNREFUSED: the message of a fetch may hold the address, and with it secrets. */
function failureReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? `it cannot be reached (${code})` : 'it cannot be reached'
}
