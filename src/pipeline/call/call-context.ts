// The context of a call as callers give it. It may come from anywhere, so it is read once, as data.
import type { Surface } from '../../contract/tool/surface.ts'
import { nearestNames } from '../../json/nearest.ts'
import { quoteKey } from '../../json/refusal.ts'
import { isSurface } from '../../surface/build-surface.ts'
import { isProvider, type Provider } from '../../surface/dialects/dialect-table.ts'

/** Who calls, for which user, and in which run. The tenant comes from the caller's credential, never from the model. */
export interface CallContext {
  readonly tenant?: string
  readonly user?: string
  readonly roles?: readonly string[]
  readonly scopes?: readonly string[]
  readonly agent?: string
  readonly workflow?: string
  /** The chat or job this call belongs to; required for tools that change something. */
  readonly run?: string
  /** What the agent is at within the run, as one question and its answer: repairs are counted for each turn. Without it, a quarter of an hour without a refusal ends one. */
  readonly turn?: string
  /** The run that started this one: what either has seen, both count as having seen. */
  readonly parentRun?: string
  /** What drives the run is not to be trusted, as behind a gateway: the run starts out untrusted. */
  readonly untrusted?: boolean
  readonly trace?: string
  /** The caller's own name of the operation: one effect per name. */
  readonly operationId?: string
  /** Once approved, the call runs without being proposed again. */
  readonly resumeOnDecision?: boolean
  /** How long the whole call may take, pauses between retries included; nothing is started that could not end in time. */
  readonly deadlineMs?: number
  /** The release that this agent was built from; a call that does not fit it is refused. */
  readonly release?: string
  /** The model that proposes and the SHA-256 of its prompt template: held against the release, where one is named. */
  readonly model?: string
  readonly promptHash?: string
  /** The provider in whose dialect the model was shown its tools: what that made it write is undone first. */
  readonly dialect?: Provider
  readonly signal?: AbortSignal
  readonly surface?: Surface
}

export interface ContextReading extends CallContext {
  /** The first thing in it that makes no sense, as a sentence. */
  readonly badContext?: string
}

const names = [
  'user',
  'agent',
  'workflow',
  'run',
  'turn',
  'parentRun',
  'trace',
  'operationId',
  'release',
  'model',
  'promptHash',
] as const

/** Reads a context that may be anything; what cannot be read is not there. */
export function readContext(given: unknown): ContextReading {
  try {
    if (typeof given !== 'object' || given === null) return {}
    const context = { ...given } as Record<keyof CallContext, unknown>
    const read: Record<string, string> = {}
    let badContext = unknownField(context)
    for (const name of names) {
      const value = readName(context[name])
      if (value === undefined && context[name] !== undefined && context[name] !== null)
        badContext ??= `${name} is no name. Give a text or a whole number.`
      if (value !== undefined) read[name] = value
    }
    const { deadlineMs } = context
    const isTime = typeof deadlineMs === 'number' && !Number.isNaN(deadlineMs)
    if (!isTime && deadlineMs !== undefined && deadlineMs !== null)
      badContext ??= 'deadlineMs is no time. Give a number of milliseconds.'
    const { dialect } = context
    if (!isProvider(dialect) && dialect !== undefined && dialect !== null)
      badContext ??= 'dialect is no provider. Leave it out, or give one that surface() writes for.'
    const { surface } = context
    if (!isSurface(surface) && surface !== undefined && surface !== null)
      badContext ??= 'surface is none that surface() gave. Leave it out, or pass on what it gave.'
    return {
      ...read,
      ...(isProvider(dialect) ? { dialect } : {}),
      ...(isTime ? { deadlineMs } : {}),
      ...(badContext === undefined ? {} : { badContext }),
      // Kept also where it is no name: a tenant that cannot be read is an unknown one, not the default.
      ...(context.tenant === undefined ? {} : { tenant: readName(context.tenant) ?? '' }),
      roles: texts(context.roles),
      scopes: texts(context.scopes),
      resumeOnDecision: context.resumeOnDecision === true,
      // Anything but a clear no: a caller that tries to say it must not be misheard.
      untrusted: context.untrusted !== undefined && context.untrusted !== null && context.untrusted !== false,
      ...(context.signal instanceof AbortSignal ? { signal: context.signal } : {}),
      ...(isSurface(surface) ? { surface } : {}),
    }
  } catch {
    return { tenant: '' }
  }
}

const fields: ReadonlySet<string> = new Set([
  ...names,
  'tenant',
  'roles',
  'scopes',
  'untrusted',
  'resumeOnDecision',
  'deadlineMs',
  'dialect',
  'signal',
  'surface',
] satisfies readonly (keyof CallContext)[])

/** A misspelt tenant would be the default one. */
function unknownField(context: object): string | undefined {
  for (const name in context) {
    if (fields.has(name)) continue
    const [near] = nearestNames(name, [...fields], 1)
    return `It has no field ${quoteKey(name)}. ${near === undefined ? `Known are ${[...fields].join(', ')}.` : `Did you mean ${near}?`}`
  }
  return undefined
}

/** Longer names would not fit into an index. */
const maxNameLength = 512

/**
 * A name is a text that is not empty and that every store can keep as it is: well-formed, without the character NUL. A whole number,
 * such as a key of a database, is its digits.
 */
export function readName(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const isName = value !== '' && value.length <= maxNameLength && !value.includes('\0') && value.isWellFormed()
    return isName ? value : undefined
  }
  return Number.isSafeInteger(value) || typeof value === 'bigint' ? String(value) : undefined
}

const none: readonly string[] = []

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : none
}
