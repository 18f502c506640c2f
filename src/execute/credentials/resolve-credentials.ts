// The secrets of one start, for one tenant, user and tool. Either all that the binding asks for are there, and long enough to be found in
// other text, or nothing is started. What a resolver throws is not repeated: it may hold the secret.
import type { CredentialBindings, CredentialRequest, CredentialResolver } from '../../contract/tool/credential.ts'
import { timerMs } from '../../json/clock.ts'

export interface CredentialAsker {
  readonly tenant: string
  readonly user: string | undefined
  readonly tool: string
  readonly callId: string
}

export interface ResolveInput {
  readonly bindings: CredentialBindings
  readonly asker: CredentialAsker
  readonly resolvers: readonly CredentialResolver[]
  readonly timeoutMs: number
  /** The caller's own signal. */
  readonly signal: AbortSignal | undefined
  /** Gets what a resolver threw. */
  readonly report: (fault: unknown) => void
}

export type Secrets =
  | { readonly ok: true; readonly values: ReadonlyMap<string, string> }
  | {
      readonly ok: false
      /** `credential_unavailable`: it may be there at the next look. */
      readonly code: 'credential_absent' | 'credential_refused' | 'credential_unavailable'
      readonly message: string
    }

/** A shorter one cannot be found again in a text without hiding much else. */
const leastLength = 8
const greatestLength = 65_536

export async function resolveCredentials(input: ResolveInput): Promise<Secrets> {
  const controller = new AbortController()
  const abort = () => controller.abort()
  input.signal?.addEventListener('abort', abort, { once: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timerMs(input.timeoutMs))
    controller.signal.addEventListener('abort', () => resolve('late'), { once: true })
  })
  const found = Promise.all(
    Object.entries(input.bindings).map(async ([name, { ref, per = 'tenant', scopes = [] }]) => {
      const request = { ...input.asker, name, ref, per, scopes, signal: controller.signal }
      return [name, await resolveOne(request, input)] as const
    }),
  )
  try {
    const all = await Promise.race([found, late])
    if (all === 'late') return unavailable(Object.keys(input.bindings).join(', '))
    const values = new Map<string, string>()
    for (const [name, secret] of all) {
      if (!secret.ok) return secret
      values.set(name, secret.value)
    }
    return { ok: true, values }
  } finally {
    clearTimeout(timer)
    input.signal?.removeEventListener('abort', abort)
    controller.abort()
  }
}

type Secret = { readonly ok: true; readonly value: string } | Extract<Secrets, { ok: false }>

async function resolveOne(request: CredentialRequest, { resolvers, report }: ResolveInput): Promise<Secret> {
  const { name, ref, per, user } = request
  if (per === 'user' && user === undefined)
    return refused(`The credential ${name} (${ref}) belongs to a user, and this call names none.`)
  for (const resolver of resolvers) {
    try {
      const resolution = await resolver.resolve(request)
      switch (resolution.kind) {
        case 'found':
          return usable(name, ref, resolution.value)
        case 'refused':
          return refused(`The credential ${name} (${ref}) cannot be used: ${String(resolution.reason).slice(0, 500)}`)
        case 'absent':
          break
      }
    } catch (fault) {
      report(fault)
      return unavailable(`${name} (${ref})`)
    }
  }
  const message = `The credential ${name} (${ref}) is not set up for this tenant. Nothing was done; have it set up.`
  return { ok: false, code: 'credential_absent', message }
}

/** Resolvers are the host's own; what they give is looked at all the same. */
function usable(name: string, ref: string, value: unknown): Secret {
  if (typeof value !== 'string') return refused(`The credential ${name} (${ref}) is no text.`)
  if (value.length < leastLength)
    return refused(
      `The credential ${name} (${ref}) has fewer than ${leastLength} characters, so it could not be kept out of results.`,
    )
  if (value.length > greatestLength) return refused(`The credential ${name} (${ref}) is longer than any secret.`)
  if (new Set(value).size === 1) return refused(`The credential ${name} (${ref}) is one character over and over.`)
  return value.isWellFormed() ? { ok: true, value } : refused(`The credential ${name} (${ref}) is no well-formed text.`)
}

const refused = (message: string): Extract<Secrets, { ok: false }> => ({
  ok: false,
  code: 'credential_refused',
  message: `${message} Nothing was done; have it set up.`,
})

const unavailable = (what: string): Extract<Secrets, { ok: false }> => ({
  ok: false,
  code: 'credential_unavailable',
  message: `What keeps the credential ${what} did not answer. Nothing was done; try again later.`,
})
