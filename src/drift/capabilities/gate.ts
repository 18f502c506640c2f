// The gate in front of the first billed request of a session. Sessions with the same address and the same credential share one request and
// its answer. Drift stops the session; a relay that cannot be reached, or is older than the envelope, gives one warning and passes, because
// every call is validated here anyway. Nothing is repaired, and no failure is kept as a success.
import { Fault } from '../../contract/fault.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { Surface } from '../../contract/tool/surface.ts'
import { boundedCache, keepNewest } from '../../json/bounded-cache.ts'
import { type Clock, systemClock } from '../../json/clock.ts'
import { hashFields, sha256 } from '../../json/hash.ts'
import { capabilitiesPath, capabilitiesVersion } from './envelope.ts'
import { CapabilitiesContractError, SchemaDriftError, UnsupportedCloudToolSchema } from './errors.ts'
import type { EnvelopeJudgement, Proofs } from './judge-envelope.ts'
import { probe } from './probe.ts'
import { type EnvelopeLimits, type EnvelopeReading, readEnvelope } from './read-envelope.ts'

export interface CapabilitiesGateOptions {
  /** Where the relay is; `/v1/agent/capabilities` is added unless the address ends so. */
  readonly url: string
  /** Sent as a bearer token. A function is asked at every check: a new credential is a new caller. */
  readonly credential: string | (() => Awaitable<string>)
  /** What this side can execute: `() => proviso.surface(context)`. */
  readonly local: Surface | (() => Awaitable<Surface>)
  readonly fetch?: typeof fetch
  /** Until the whole answer is there; 5 seconds. */
  readonly timeoutMs?: number
  /** For how long an answer that fits is good; 5 minutes. */
  readonly ttlMs?: number
  /** How soon a relay that gave no answer is asked again; 15 seconds. */
  readonly retryMs?: number
  /** A larger answer is none; 16 MiB. */
  readonly maxBytes?: number
  /** 10,000. */
  readonly maxTools?: number
  /** Gets one warning about a relay that cannot be checked, until it can; console.warn unless given. */
  readonly onWarning?: (warning: string) => void
  readonly clock?: Clock
}

export type GateOutcome =
  | { readonly checked: true; readonly version: string; readonly tools: number }
  /** The session goes on; calls are validated here all the same. */
  | { readonly checked: false; readonly why: 'old_relay' | 'unreachable' }

export interface CapabilitiesGate {
  /** Throws a SchemaDriftError, an UnsupportedCloudToolSchema or a CapabilitiesContractError. */
  check(): Promise<GateOutcome>
}

/** What is known of one relay as one caller sees it. */
interface Relay {
  flight: Promise<Known> | undefined
  /** The last one that was read, good or bad. */
  known: Known | undefined
  /** Until when the relay is not asked again, on the clock that never steps back. */
  until: number
  warned: boolean
}

interface Envelope {
  readonly kind: 'envelope'
  readonly hash: string
  readonly etag: string | undefined
  readonly reading: EnvelopeReading
}

/** An answer without an envelope does not make the last envelope untrue: it is kept as `before`. */
type Known =
  | Envelope
  | { readonly kind: 'old'; readonly why: string; readonly before: Envelope | undefined }
  | { readonly kind: 'unreachable'; readonly why: string; readonly before: Envelope | undefined }
  | { readonly kind: 'breach'; readonly error: () => CapabilitiesContractError; readonly before: Envelope | undefined }

/** By the fetch function: another one may lead elsewhere. Nothing in here names a credential. */
const relaysOf = new WeakMap<typeof fetch, ReturnType<typeof boundedCache<Relay>>>()
const proofs: Proofs = new Map()
const judgements = new Map<string, Promise<EnvelopeJudgement>>()
/** Callers that get the same envelope share what was read of it. */
const readings = boundedCache<EnvelopeReading>(64)
const keptRelays = 256
const keptJudgements = 1_000

export function capabilitiesGate(options: CapabilitiesGateOptions): CapabilitiesGate {
  const { timeoutMs = 5_000, ttlMs = 300_000, retryMs = 15_000, clock = systemClock } = options
  const limits = { maxBytes: options.maxBytes ?? 16 * 1_048_576, maxTools: options.maxTools ?? 10_000 }
  const url = addressOf(options.url)
  const warn = options.onWarning ?? ((warning: string) => console.warn(warning))

  const ask = async (relay: Relay, credential: string, fetch: typeof globalThis.fetch): Promise<Known> => {
    const before = envelopeOf(relay.known)
    const got = await probe({ url, credential, etag: before?.etag, timeoutMs, maxBytes: limits.maxBytes, fetch })
    switch (got.kind) {
      case 'unchanged':
        return (
          before ?? breach(304, 'unexpected_status', 'The relay says that nothing has changed since never.', before)
        )
      case 'envelope': {
        const hash = sha256(got.body)
        const reading = readingOf(hash, got.body, limits)
        if (reading.kind === 'old')
          return { kind: 'old', why: 'its answer has neither capabilities_version nor tool_schemas', before }
        return { kind: 'envelope', hash, etag: got.etag, reading }
      }
      case 'absent':
        return { kind: 'old', why: `it answers ${capabilitiesPath} with the status ${got.status}`, before }
      case 'unreachable':
        return { kind: 'unreachable', why: got.why, before }
      case 'breach':
        return breach(got.status, got.code, got.message, before)
    }
  }

  const find = async (relay: Relay, credential: string): Promise<Known> => {
    if (relay.known !== undefined && clock.monotonic() < relay.until) return relay.known
    relay.flight ??= ask(relay, credential, options.fetch ?? globalThis.fetch)
      .then((known) => {
        relay.known = known
        relay.until = clock.monotonic() + (known.kind === 'breach' ? 0 : known.kind === 'envelope' ? ttlMs : retryMs)
        return known
      })
      .finally(() => {
        relay.flight = undefined
      })
    return relay.flight
  }

  const tell = (relay: Relay, why: string): void => {
    if (relay.warned) return
    relay.warned = true
    try {
      warn(
        `Schemas of the relay ${new URL(url).origin} are not checked for drift: ${why}. Calls are validated here all the same.`,
      )
    } catch {
      // A listener that throws must not stop the session.
    }
  }

  return {
    async check() {
      const { credential: given, local } = options
      const credential = typeof given === 'function' ? await given() : given
      const relay = relayOf(options.fetch ?? globalThis.fetch, url, credential)
      const known = await find(relay, credential)
      if (known.kind === 'breach') throw known.error()
      const surface = async () => (typeof local === 'function' ? local() : local)
      if (known.kind === 'envelope') {
        const outcome = await judged(known, await surface(), relay)
        relay.warned = false
        return outcome
      }
      // What drifted when it was last seen goes on drifting until the relay shows something else.
      if (known.before !== undefined) await judged(known.before, await surface(), relay)
      tell(relay, known.why)
      return { checked: false, why: known.kind === 'old' ? 'old_relay' : 'unreachable' }
    },
  }
}

const envelopeOf = (known: Known | undefined): Envelope | undefined =>
  known?.kind === 'envelope' ? known : known?.before

async function judged({ hash, reading }: Envelope, local: Surface, relay: Relay): Promise<GateOutcome> {
  switch (reading.kind) {
    case 'malformed': {
      relay.until = 0
      const { pointer, message } = reading
      throw new CapabilitiesContractError(
        'malformed',
        `The capabilities cannot be read at ${pointer === '' ? 'their root' : pointer.slice(0, 256)}: ${message} Repair the relay.`,
        { pointer },
      )
    }
    case 'newer':
      relay.until = 0
      throw new CapabilitiesContractError(
        'newer_version',
        `The relay speaks version ${reading.version} of the capabilities, and this side ${capabilitiesVersion}. Upgrade the older one.`,
        { pointer: '/capabilities_version' },
      )
    case 'old':
      throw new Fault('internal', 'An old relay has no envelope to judge.')
    case 'read':
  }
  const judgement = await judgementOf(hash, reading.tools, local)
  if (judgement.kind === 'fits') return { checked: true, version: reading.version, tools: judgement.tools }
  // The next check asks again: the relay may be repaired by then.
  relay.until = 0
  if (judgement.kind === 'unsupported') throw new UnsupportedCloudToolSchema(judgement.gap, judgement.count)
  throw new SchemaDriftError(judgement.drifts[0], judgement.drifts, judgement.count)
}

function readingOf(hash: string, body: string, limits: EnvelopeLimits): EnvelopeReading {
  return readings(`${hash}:${limits.maxTools}`, () => readEnvelope(body, limits))
}

/** The same envelope and the same tools are judged once, however many ask at the same time. */
function judgementOf(
  hash: string,
  remote: Extract<EnvelopeReading, { kind: 'read' }>['tools'],
  local: Surface,
): Promise<EnvelopeJudgement> {
  const key = `${hash}:${surfaceHash(local)}`
  let judgement = judgements.get(key)
  if (judgement === undefined) {
    // The prover is half of the code; it is loaded when there is something to prove.
    judgement = import('./judge-envelope.ts').then(({ judgeEnvelope }) => judgeEnvelope({ remote, local, proofs }))
    judgement.then(
      // What ran out of steps gets further the next time: proofs are kept.
      (made) => made.kind === 'unsupported' && made.gap.construct === 'budget' && judgements.delete(key),
      () => judgements.delete(key),
    )
    keepNewest(judgements, key, judgement, keptJudgements)
  }
  return judgement
}

const surfaceHashes = new WeakMap<Surface, string>()

/** What of a surface decides whether calls fit: names, how they stand, and input schemas. */
function surfaceHash(surface: Surface): string {
  let hash = surfaceHashes.get(surface)
  if (hash === undefined) {
    const parts: string[] = []
    for (const [name, { status, tool }] of surface.entries) parts.push(name, status, tool.input.form.hash)
    for (const [alias, name] of surface.aliases) parts.push(alias, name)
    hash = hashFields('capabilities-local', parts)
    surfaceHashes.set(surface, hash)
  }
  return hash
}

function relayOf(fetch: typeof globalThis.fetch, url: string, credential: string): Relay {
  if (typeof credential !== 'string' || credential === '' || /[^\x21-\x7e]/.test(credential))
    throw new Fault('bad_options', 'The credential of a gate is a text without spaces, as a header line can hold it.')
  let relays = relaysOf.get(fetch)
  if (relays === undefined) {
    relays = boundedCache<Relay>(keptRelays)
    relaysOf.set(fetch, relays)
  }
  const key = hashFields('capabilities-relay', [url, credential])
  return relays(key, () => ({ flight: undefined, known: undefined, until: 0, warned: false }))
}

function addressOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Fault('bad_options', 'The url of a gate is one such as https://relay.example.com, without a user in it.')
  if (!url.pathname.endsWith(capabilitiesPath)) url.pathname = url.pathname.replace(/\/$/, '') + capabilitiesPath
  url.hash = ''
  return url.href
}

function breach(
  status: number,
  code: CapabilitiesContractError['code'],
  message: string,
  before: Envelope | undefined,
): Known {
  return { kind: 'breach', error: () => new CapabilitiesContractError(code, message, { status }), before }
}
