// The tools of the trials: one per effect class and per way in which a lost attempt can be found out about.
import { defineTool, type EffectClass, ToolError, type ToolSource } from '../../src/index.ts'
import type { TripWire } from './trip-wire.ts'
import type { World } from './world.ts'

export const toolKinds = ['sql', 'provider', 'verifier', 'neither'] as const
export type ToolKind = (typeof toolKinds)[number]

export const effectClasses = [
  'EPHEMERAL_WRITE',
  'LOW_RISK_INTERNAL',
  'MEDIUM_RISK_WRITE',
  'HIGH_RISK_EXTERNAL',
  'CRITICAL_MUTATION',
] as const satisfies readonly EffectClass[]

export interface ToolSpec {
  readonly name: string
  readonly kind: ToolKind
  readonly effect: EffectClass
  readonly timeoutMs?: number
  readonly horizonMs?: number
  readonly windowMs?: number
  readonly maxRetries?: number
  /** Whether the tool also has a verifier, beside what its kind says. */
  readonly verified?: boolean
  /** This process does not know how the tool is recovered; its contract is the same. */
  readonly blind?: boolean
}

/** What an operation is asked to be: done at once, or only after its first starts failed, hung, or broke off after their effect. */
export interface Order {
  readonly id: string
  readonly fails?: number
  /** Fails for good instead, until the scenario mends it. */
  readonly refuses?: number
  readonly hangs?: number
  readonly breaks?: number
}

export const defaultWindowMs = 600_000
export const defaultTimeoutMs = 600

const count = { type: 'integer', minimum: 0 } as const
const input = {
  type: 'object',
  properties: { id: { type: 'string' }, fails: count, refuses: count, hangs: count, breaks: count },
  required: ['id'],
  additionalProperties: false,
} as const

export function specOf(effect: EffectClass, kind: ToolKind, more: Partial<ToolSpec> = {}): ToolSpec {
  return { name: `${kind}_${effect.toLowerCase()}`, kind, effect, ...more }
}

/** Whether a lost attempt of this tool is found out about without a person. */
export const isRecoverable = ({ kind, verified }: ToolSpec) => kind !== 'neither' || verified === true

/** Whether only the provider's own id of a call names its operation. */
export const isNamedByCall = ({ effect }: ToolSpec) => effect === 'EPHEMERAL_WRITE'

export function makeTool(spec: ToolSpec, world: World, wire: TripWire): ToolSource {
  const { name, kind, effect, windowMs = defaultWindowMs } = spec
  const verifies = kind === 'verifier' || spec.verified === true
  return defineTool({
    name,
    description: 'Does one thing to the world of the trials.',
    effect,
    input,
    // It returns the id that it was given.
    trusted: true,
    timeoutMs: spec.timeoutMs ?? defaultTimeoutMs,
    maxRetries: spec.maxRetries ?? 0,
    rate: { windowSec: 1, maxRequests: 1_000_000 },
    errors: { busy: 'DEPENDENCY_UNAVAILABLE', refused: 'SEMANTIC_INVALIDITY' },
    ...(effect === 'LOW_RISK_INTERNAL' ? { operation: ['/id'] } : {}),
    ...(kind === 'sql' ? { commits: 'ledger' as const } : {}),
    recovery:
      spec.blind === true
        ? {}
        : { horizonMs: spec.horizonMs ?? 500, ...(kind === 'provider' ? { providerWindowMs: windowMs } : {}) },
    ...(verifies && spec.blind !== true
      ? {
          async verify({ id }: Order) {
            await wire.reach('verify:before')
            const there = world.has(id)
            await wire.reach('verify:after')
            return there
              ? { status: 'verified' as const }
              : { status: 'absent' as const, message: 'There is no trace of it.' }
          },
        }
      : {}),
    async execute({ id, fails = 0, refuses = 0, hangs = 0, breaks = 0 }: Order, { sql, idempotencyKey }) {
      const earlier = world.begin(id)
      if (earlier < fails) throw new ToolError('busy', 'Not now.', { effect: 'none', retryAfterMs: 1 })
      if (earlier < refuses && !world.isMended(id)) throw new ToolError('refused', 'Never.', { effect: 'none' })
      if (earlier < hangs) await new Promise<never>(() => {})
      await wire.reach('effect:before')
      if (kind === 'sql') await sql?.('insert into world.effects (op) values ($1)', [id])
      else if (kind === 'provider') world.send(id, idempotencyKey ?? '', windowMs)
      else world.apply(id)
      await wire.reach('effect:after')
      if (earlier < breaks) throw new Error('Broke off after its effect.')
      return { id }
    },
  })
}
