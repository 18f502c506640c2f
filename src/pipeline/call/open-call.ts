// Turns a proposal in its context into a call: reads the arguments strictly and copies what an SDK has parsed.
import type { ArgumentReading, Proposal } from '../../contract/call/call.ts'
import type { CallLocks, Seat } from '../../contract/call/call-locks.ts'
import type { OpenedCall } from '../../contract/call/stages.ts'
import { claimOf } from '../../contract/release/release.ts'
import { type SagaMark, stepCallIds } from '../../contract/saga/saga.ts'
import type { Surface } from '../../contract/tool/surface.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { canonicalize } from '../../json/canonical.ts'
import { copyParsed } from '../../json/copy.ts'
import { sha256 } from '../../json/hash.ts'
import { uuidv7 } from '../../json/id.ts'
import { readJson } from '../../json/read.ts'
import type { ReadLimits } from '../../json/refusal.ts'
import { isObject } from '../../json/value.ts'
import type { Deps } from '../deps.ts'
import { type ContextReading, readName } from './call-context.ts'
import { type Draft, shape } from './draft.ts'

export interface OpenCallInput {
  readonly proposal: Proposal
  readonly context: ContextReading
  readonly surface: Surface
  readonly locks?: CallLocks | undefined
  /** Its place in a batch, whose signal then stands for the caller's. */
  readonly seat?: Seat | undefined
  readonly tenants: ReadonlySet<string> | undefined
  readonly limits: ReadLimits
  /** Every tool this process has registered, by contract hash. */
  readonly byHash: ReadonlyMap<string, Tool>
  /** The step of a saga that it is made for. Never from a context: any caller could claim to be one. */
  readonly saga?: SagaMark | undefined
  readonly deps: Deps
}

/** Never throws: a proposal of any kind is read as one. The context was read before. */
export function openCall(input: OpenCallInput): Draft {
  const proposal = sanitized(input.proposal, input.saga !== undefined)
  const { source, reading } = readArguments(proposal.arguments, input.limits)
  const { context, tenants, deps, seat } = input
  const startedAt = deps.clock.now()
  const id = uuidv7(startedAt, deps.entropy)
  const tenant = context.tenant ?? 'default'
  return {
    ...shape,
    id,
    pass: 1,
    startedAt,
    openedAt: { wall: startedAt, monotonic: deps.clock.monotonic() },
    deadlineMs: context.deadlineMs,
    tenant,
    tenantNamed: context.tenant !== undefined,
    tenantKnown: tenant !== '' && (tenants?.has(tenant) ?? true),
    principal: { user: context.user, roles: context.roles ?? [], scopes: context.scopes ?? [], agent: context.agent },
    workflow: context.workflow,
    run: context.run,
    turn: context.turn,
    traceId: context.trace ?? id.replaceAll('-', ''),
    operationId: context.operationId,
    saga: input.saga,
    claim: claimOf(context),
    badContext: context.badContext,
    resumeOnDecision: context.resumeOnDecision === true,
    untrusted: context.untrusted === true,
    locks: input.locks,
    seat,
    proposal,
    source,
    reading,
    inputHash: reading.ok ? sha256(reading.canonical) : '',
    surface: input.surface,
    signal: seat === undefined ? context.signal : seat.signal,
    judgedAt: startedAt,
  }
}

/** A proposal may come from anywhere; what is none is read as one without a tool. */
function sanitized(proposal: unknown, isStep: boolean): Proposal {
  try {
    const given = isObject(proposal) ? (proposal as Partial<Record<keyof Proposal, unknown>>) : {}
    const callId = callIdOf(given.callId, isStep)
    const tool = typeof given.tool === 'string' ? given.tool : ''
    return { tool, arguments: given.arguments, ...(callId === undefined ? {} : { callId }) }
  } catch {
    return { tool: '' }
  }
}

/**
 * Ids are the provider's; one that is longer than any provider's, or no name at all, is stood for by its hash. So is one that only steps of
 * sagas have: its sender would go on with the record of that step.
 */
function callIdOf(given: unknown, isStep: boolean): string | undefined {
  const id = readName(given)
  if (id !== undefined && id.length <= 256 && (isStep || !id.startsWith(stepCallIds))) return id
  // As JSON, halves of surrogate pairs are spelt out: different ids have different hashes.
  return typeof given === 'string' && given !== '' ? `sha256:${sha256(JSON.stringify(given))}` : undefined
}

/** A call without arguments, sent as null or not at all. The text `null` is something else: a value that is no object. */
const noArguments: ArgumentReading = { ok: true, value: {}, canonical: '{}' }

function readArguments(given: unknown, limits: ReadLimits): { source: OpenedCall['source']; reading: ArgumentReading } {
  if (typeof given === 'string') {
    const reading = readJson(given, limits)
    return { source: 'text', reading: reading.ok ? { ...reading, canonical: canonicalize(reading.value) } : reading }
  }
  if (given === undefined || given === null) return { source: 'parsed', reading: noArguments }
  return { source: 'parsed', reading: copyParsed(given, limits) }
}
