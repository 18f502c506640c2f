// Turns a proposal in its context into a call: reads the arguments strictly, and finds the call again if it was proposed before.
import type { ArgumentReading, Call, Proposal } from '../contract/call.ts'
import { effectRow } from '../contract/effects.ts'
import type { Surface } from '../contract/surface.ts'
import type { Tool } from '../contract/tool.ts'
import { canonicalize } from '../json/canonical.ts'
import { copyParsed } from '../json/copy.ts'
import { sha256 } from '../json/hash.ts'
import { uuidv7 } from '../json/id.ts'
import { readJson } from '../json/read.ts'
import type { ReadLimits } from '../json/refusal.ts'
import { isObject } from '../json/value.ts'
import type { CallRecord } from '../ledger/ledger.ts'
import { classVoices } from '../policy/class-defaults.ts'
import type { Deps } from './deps.ts'

/** Who calls, for whom, and within what. The tenant comes from the caller's credential, never from the model. */
export interface CallContext {
  readonly tenant?: string
  readonly user?: string
  readonly roles?: readonly string[]
  readonly scopes?: readonly string[]
  readonly agent?: string
  readonly workflow?: string
  /** The chat or job this call belongs to; required for whatever changes something. */
  readonly run?: string
  readonly trace?: string
  /** The caller's own name of the operation: one effect per name, whatever happens. */
  readonly operationId?: string
  /** Once approved, the call runs without being proposed again. */
  readonly resumeOnDecision?: boolean
  readonly signal?: AbortSignal
  readonly surface?: Surface
}

export interface OpenCallInput {
  readonly proposal: Proposal
  readonly context: CallContext
  readonly surface: Surface
  readonly tenants: ReadonlySet<string> | undefined
  readonly limits: ReadLimits
  /** Every tool this process has registered, by contract hash. */
  readonly byHash: ReadonlyMap<string, Tool>
  readonly deps: Deps
}

/** Never throws: whatever the proposal and the context are, they are read as such. */
export function openCall(input: OpenCallInput): Call {
  const proposal = sanitized(input.proposal)
  const { source, reading } = readArguments(proposal.arguments, input.limits)
  return fresh({ ...input, proposal, context: isObject(input.context) ? input.context : {} }, source, reading)
}

/** The call as it was proposed before, if it was: same id, next pass. */
export function findAgain(call: Call, input: Pick<OpenCallInput, 'byHash' | 'deps'>): Call | Promise<Call> {
  const { reading, proposal, surface } = call
  const tool = loadedTool(surface, proposal.tool)
  if (tool === undefined || !reading.ok || call.inputHash === undefined || !isFindable(tool)) return call
  const { inputHash } = call
  const found = input.deps.ledger.findCall({
    tenant: call.tenant,
    run: call.run,
    providerCallId: proposal.callId,
    tool: tool.contract.identity.name,
    inputHash,
  })
  return found instanceof Promise
    ? found.then((record) => continued(call, record, tool, input.byHash))
    : continued(call, found, tool, input.byHash)
}

/** A read that asks nobody is over once it is answered; everything else may be proposed again. */
export function isFindable(tool: Tool): boolean {
  return effectRow(tool.contract.transactional.side_effect_class).mutates || classVoices(tool).length > 0
}

/** The same call again: same id, next pass, what hooks said before, and the contract it was first judged by. */
function continued(call: Call, record: CallRecord | undefined, tool: Tool, byHash: OpenCallInput['byHash']): Call {
  if (record === undefined) return call
  const again = {
    ...call,
    id: record.id,
    pass: record.passes + 1,
    ...(record.callInput === undefined ? {} : { keptCallInput: record.callInput }),
    ...(record.hookOutputs === undefined
      ? {}
      : { hookOutputs: record.hookOutputs, permissionInput: record.permissionInput }),
  }
  const pinned = record.contractHash === tool.contractHash ? undefined : byHash.get(record.contractHash)
  if (pinned === undefined || record.status !== 'CONFIRMATION_MISSING') return again
  // The contract is the one that people were shown; what runs is what this request brought, never another request's code.
  const merged = { ...pinned, binding: { ...pinned.binding, executor: tool.binding.executor } }
  const entries = new Map(call.surface.entries)
  entries.set(pinned.contract.identity.name, { status: 'loaded', tool: merged, deprecated: undefined })
  return { ...again, surface: { ...call.surface, entries } }
}

function fresh(input: OpenCallInput, source: Call['source'], reading: ArgumentReading): Call {
  const { context, surface, tenants, deps } = input
  const startedAt = deps.clock.now()
  const id = uuidv7(startedAt, deps.entropy)
  const tenant = textOf(context.tenant)
  return {
    id,
    pass: 1,
    startedAt,
    tenant: tenant ?? 'default',
    tenantNamed: tenant !== undefined,
    tenantKnown: (context.tenant === undefined || tenant !== undefined) && (tenants?.has(tenant ?? 'default') ?? true),
    principal: {
      user: textOf(context.user),
      roles: textsOf(context.roles),
      scopes: textsOf(context.scopes),
      agent: textOf(context.agent),
    },
    workflow: textOf(context.workflow),
    run: textOf(context.run),
    traceId: textOf(context.trace) ?? id.replaceAll('-', ''),
    operationId: textOf(context.operationId),
    resumeOnDecision: context.resumeOnDecision === true,
    proposal: input.proposal,
    source,
    reading,
    ...(reading.ok ? { inputHash: sha256(reading.canonical) } : {}),
    surface,
    signal: context.signal instanceof AbortSignal ? context.signal : undefined,
    mutations: [],
    effect: 'none',
    warnings: [],
  }
}

/** Empty and non-text identifiers name nobody. */
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const noTexts: readonly string[] = []
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : noTexts

/** A proposal may come from anywhere: whatever it is, it is read as one. */
function sanitized(proposal: unknown): Proposal {
  try {
    const given = isObject(proposal) ? (proposal as Partial<Record<keyof Proposal, unknown>>) : {}
    const callId = textOf(given.callId)
    const tool = typeof given.tool === 'string' ? given.tool : ''
    return { tool, arguments: given.arguments, ...(callId === undefined ? {} : { callId }) }
  } catch {
    return { tool: '' }
  }
}

/** A call without arguments, sent as null or not at all. The text `null` is something else: a value that is no object. */
const noArguments: ArgumentReading = { ok: true, value: {}, canonical: '{}' }

function readArguments(given: unknown, limits: ReadLimits): { source: Call['source']; reading: ArgumentReading } {
  if (typeof given === 'string') {
    const reading = readJson(given, limits)
    return { source: 'text', reading: reading.ok ? { ...reading, canonical: canonicalize(reading.value) } : reading }
  }
  if (given === undefined || given === null) return { source: 'parsed', reading: noArguments }
  return { source: 'parsed', reading: copyParsed(given, limits) }
}

function loadedTool(surface: Surface, name: string): Tool | undefined {
  const entry = surface.entries.get(surface.aliases.get(name) ?? name)
  return entry?.status === 'loaded' ? entry.tool : undefined
}

/** The proposal and context of a recorded call, to run it again without its agent. */
export function resumedContext(record: CallRecord): { proposal: Proposal; context: CallContext } {
  const { key, principal } = record
  return {
    proposal: {
      tool: key.tool,
      arguments: record.argumentText,
      ...(key.providerCallId === undefined ? {} : { callId: key.providerCallId }),
    },
    context: {
      tenant: key.tenant,
      roles: principal.roles,
      scopes: principal.scopes,
      trace: record.traceId,
      ...(principal.user === undefined ? {} : { user: principal.user }),
      ...(principal.agent === undefined ? {} : { agent: principal.agent }),
      ...(key.run === undefined ? {} : { run: key.run }),
      ...(record.workflow === undefined ? {} : { workflow: record.workflow }),
      ...(record.operationId === undefined ? {} : { operationId: record.operationId }),
    },
  }
}
