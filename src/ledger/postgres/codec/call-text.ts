// The record of a call as text. Most are of one kind, of which eighteen values are not known beforehand: those are written by their places,
// in two thirds of the bytes, which every call writes, sends, hashes and keeps. All other records are written whole. Invariant: what is
// stored is read as it was written, for ever. Places are only ever added at the end, and what is left out never changes.

import type { EpochMs } from '../../../json/clock.ts'
import { hashFields, sha256 } from '../../../json/hash.ts'
import type { CallKey, CallRecord } from '../../ports/calls.ts'
import type { AllNamed } from './answer-text.ts'

type PlainCall = [
  id: string,
  tenant: string,
  /** Read at this place by SQL of the audit's measurement, too. */
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
type Absent = 'saga' | 'verification'

/** What a plain record has besides. */
const usual: Readonly<Required<Omit<CallRecord, Written | Absent | 'mutations'>>> = {
  workflow: undefined,
  operationId: undefined,
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
}

export function callText(call: CallRecord): string {
  if (!isPlainCall(call)) return JSON.stringify(call)
  const key: AllNamed<CallKey, 'tenant' | 'run' | 'providerCallId' | 'tool' | 'inputHash'> = call.key
  const principal: AllNamed<CallRecord['principal'], 'user' | 'roles' | 'scopes' | 'agent'> = call.principal
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
  if (!text.startsWith('[')) return JSON.parse(text) as CallRecord
  const [id, tenant, run, provider, tool, inputHash, traceId, user, roles, scopes, agent, version, contract, ...rest] =
    JSON.parse(text) as PlainCall
  const [terms, argumentText, source, startedAt, tenantNamed] = rest
  return {
    ...usual,
    id,
    key: { tenant, run: run ?? undefined, providerCallId: provider ?? undefined, tool, inputHash },
    traceId,
    principal: { user: user ?? undefined, roles, scopes, agent: agent ?? undefined },
    version,
    contractHash: contract,
    ...(terms === null ? {} : { terms }),
    argumentText,
    source,
    startedAt: startedAt as EpochMs,
    mutations: [],
    tenantNamed,
  }
}

function isPlainCall(call: CallRecord): boolean {
  for (const each in usual) {
    const name = each as keyof typeof usual
    if (call[name] !== usual[name]) return false
  }
  return call.saga === undefined && call.verification === undefined && call.mutations.length === 0
}

/** The record as the admission wrote it, and behind that, on a line of its own, what the end has changed. */
export function callRecord(body: Buffer): CallRecord {
  const text = body.toString()
  const line = text.indexOf('\n')
  if (line < 0) return readCallText(text)
  return { ...readCallText(text.slice(0, line)), ...(JSON.parse(text.slice(line + 1)) as Partial<CallRecord>) }
}

/** By which a call is found again; undefined and empty names are different names. */
export function callKeyHash({ tenant, run, providerCallId, tool, inputHash }: CallKey): string {
  return hashFields('proviso.call-key.v1', [tenant, run ?? null, providerCallId ?? null, tool, inputHash])
}

/** By which it is found out that a run carries labels. */
export function runKey(tenant: string, run: string): string {
  return sha256(`proviso.run-key.v1 ${Buffer.byteLength(tenant)}:${tenant}${run}`)
}

/** A name that a model chose, as a column takes it: no text there has a NUL or half a letter. The name itself is in the record's bytes. */
export const columnText = (name: string): string => name.toWellFormed().replaceAll('\u0000', '\ufffd')
