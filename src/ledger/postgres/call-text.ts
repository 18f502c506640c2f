// The record of a call as text. Most are of one kind, of which a dozen values are not known beforehand: those are written by their places,
// in two thirds of the bytes, which every call writes, sends, hashes and keeps. All others are written whole.
import type { EpochMs } from '../../json/clock.ts'
import type { CallRecord } from '../ledger.ts'

type Written =
  | 'id'
  | 'key'
  | 'traceId'
  | 'principal'
  | 'version'
  | 'contractHash'
  | 'terms'
  | 'argumentText'
  | 'source'
  | 'startedAt'
  | 'tenantNamed'

/** What a plain record has for all that is not written. */
const otherwise: Readonly<Record<Exclude<keyof CallRecord, Written | 'mutations'>, unknown>> = {
  workflow: undefined,
  operationId: undefined,
  saga: undefined,
  passes: 1,
  status: 'RUNNING',
  effect: 'unknown',
  latencyMs: 0,
  hookOutputs: undefined,
  permissionInput: undefined,
  callInput: undefined,
  refusal: undefined,
  surfaceEntry: undefined,
  told: undefined,
  verification: undefined,
}

type PlainCall = [
  id: string,
  tenant: string,
  run: string | null,
  providerCallId: string | null,
  tool: string,
  inputHash: string,
  traceId: string,
  user: string | null,
  roles: readonly string[],
  scopes: readonly string[],
  agent: string | null,
  version: string,
  contractHash: string,
  terms: NonNullable<CallRecord['terms']> | null,
  argumentText: string,
  source: CallRecord['source'],
  startedAt: number,
  tenantNamed: boolean,
]

export function callText(call: CallRecord): string {
  if (!isPlain(call)) return JSON.stringify(call)
  const { key, principal } = call
  const plain: PlainCall = [
    call.id,
    key.tenant,
    key.run ?? null,
    key.providerCallId ?? null,
    key.tool,
    key.inputHash,
    call.traceId,
    principal.user ?? null,
    principal.roles,
    principal.scopes,
    principal.agent ?? null,
    call.version,
    call.contractHash,
    call.terms ?? null,
    call.argumentText,
    call.source,
    call.startedAt,
    call.tenantNamed,
  ]
  return JSON.stringify(plain)
}

export function readCallText(text: string): CallRecord {
  const parsed = JSON.parse(text) as PlainCall | CallRecord
  if (!isList(parsed)) return parsed
  const [id, tenant, run, provider, tool, inputHash, traceId, user, roles, scopes, agent, version, contract, ...rest] =
    parsed
  const [terms, argumentText, source, startedAt, tenantNamed] = rest
  return {
    id,
    key: { tenant, run: run ?? undefined, providerCallId: provider ?? undefined, tool, inputHash },
    workflow: undefined,
    traceId,
    principal: { user: user ?? undefined, roles, scopes, agent: agent ?? undefined },
    operationId: undefined,
    version,
    contractHash: contract,
    ...(terms === null ? {} : { terms }),
    argumentText,
    source,
    startedAt: startedAt as EpochMs,
    passes: 1,
    status: 'RUNNING',
    effect: 'unknown',
    latencyMs: 0,
    hookOutputs: undefined,
    permissionInput: undefined,
    callInput: undefined,
    mutations: [],
    tenantNamed,
    refusal: undefined,
    surfaceEntry: undefined,
    told: undefined,
  }
}

function isPlain(call: CallRecord): boolean {
  for (const each in otherwise) {
    const name = each as keyof typeof otherwise
    if (call[name] !== otherwise[name]) return false
  }
  return call.mutations.length === 0
}

const isList = (value: PlainCall | CallRecord): value is PlainCall => Array.isArray(value)
