// Results that are kept out of a model's sight, and who may fetch one. What a reader has to be is stored with the result, so that it holds
// wherever and whenever it is read. A reader has seen the result: their run carries its labels before they get it.
import type { AdmittedCall } from '../../contract/call/stages.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import { sha256 } from '../../json/hash.ts'
import { hashInSteps, writtenInSteps } from '../../json/json-parts.ts'
import { inSlices } from '../../json/slices.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import { outputLabels } from '../../policy/labels.ts'

/** What a reader of a stored result needs. Written as JSON beside the result. */
interface Access {
  readonly tool: string
  readonly scopes: readonly string[]
  readonly roles: readonly string[] | null
  readonly classification: Contract['security']['data_classification']
  readonly user: string | null
  readonly run: string | null
  readonly labels: readonly string[]
}

export interface Reader {
  readonly tenant: string
  readonly user: string | undefined
  readonly run: string | undefined
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
}

export interface NoResult {
  readonly ok: false
  readonly reason: 'not_found' | 'permission_denied'
  readonly message: string
}

export type StoredResult = { readonly ok: true; readonly ref: string; readonly value: JsonValue } | NoResult

export type ResultPage =
  | {
      readonly ok: true
      readonly ref: string
      /** Of the result's JSON text, or of the result itself where it is a text. */
      readonly text: string
      readonly from: number
      /** How long the whole text is. */
      readonly length: number
      /** Where the next page begins; absent on the last. */
      readonly next?: number
    }
  | NoResult

export interface StoredResults {
  /** Gives the reference. A result that is one already, or a page of one, is not stored again. */
  save(call: AdmittedCall, json: JsonValue): Promise<string>
  get(ref: string, reader: Reader): Promise<StoredResult>
  page(ref: string, range: { readonly from?: number; readonly length?: number }, reader: Reader): Promise<ResultPage>
}

/** The labels of runs, as far as this process knows them. */
interface LabelMemory {
  of(tenant: string, run: string): ReadonlySet<string>
  add(tenant: string, run: string, labels: readonly string[]): void
}

/** Stored and handed out by this process: what comes back as a result is recognized. */
const maxRemembered = 1_000
const pageLength = 8_192
/** A page has to fit into what is shown of a result; longer ones would be stored again. */
const maxPageLength = 65_536
/** Of a result that is an object, so many members are looked at. */
const maxMembers = 16

export function createStoredResults(ledger: Ledger, runLabels: LabelMemory): StoredResults {
  const known = new Map<string, string>()
  const remember = async (owner: string, value: JsonValue, ref: string) => {
    const key = await keyOf(owner, value)
    known.delete(key)
    known.set(key, ref)
    if (known.size > maxRemembered) known.delete(known.keys().next().value ?? '')
  }

  const open = async (ref: string, reader: Reader): Promise<StoredResult> => {
    const stored = typeof ref === 'string' ? await ledger.results.get(reader.tenant, ref) : undefined
    if (stored === undefined) return noSuchResult
    // Written by `save` alone.
    const { access, value } = stored as unknown as { readonly access: Access; readonly value: JsonValue }
    const refusal = accessRefusal(access, reader)
    if (refusal !== undefined) return { ok: false, reason: 'permission_denied', message: refusal }
    const { tenant, run } = reader
    const missing = run === undefined ? [] : access.labels.filter((label) => !runLabels.of(tenant, run).has(label))
    if (run !== undefined && missing.length > 0)
      runLabels.add(tenant, run, await ledger.runs.addLabels(tenant, run, missing))
    return { ok: true, ref, value }
  }

  return {
    async save(call, json) {
      const owner = ownerOf(call.tenant, call.principal.user, call.run)
      // Most processes have handed out none, and to hash a large one takes its time.
      const refOf = async (value: JsonValue) => known.get(await keyOf(owner, value))
      const same = known.size === 0 ? undefined : await sameResult(json, refOf)
      if (same !== undefined) return same
      const body = { access: accessOf(call), value: json } as unknown as JsonObject
      const ref = await ledger.results.save(call.tenant, call.id, body)
      await remember(owner, json, ref)
      return ref
    },
    async get(ref, reader) {
      const stored = await open(ref, reader)
      if (stored.ok) await remember(ownerOf(reader.tenant, reader.user, reader.run), stored.value, ref)
      return stored
    },
    async page(ref, range, reader) {
      const stored = await open(ref, reader)
      if (!stored.ok) return stored
      const text = typeof stored.value === 'string' ? stored.value : await inSlices(writtenInSteps(stored.value))
      const from = boundary(text, countOf(range.from, 0, text.length))
      const to = boundary(text, Math.min(text.length, from + countOf(range.length, pageLength, maxPageLength, 2)))
      const part = text.slice(from, to)
      await remember(ownerOf(reader.tenant, reader.user, reader.run), part, ref)
      return { ok: true, ref, text: part, from, length: text.length, ...(to < text.length ? { next: to } : {}) }
    },
  }
}

const noSuchResult: NoResult = {
  ok: false,
  reason: 'not_found',
  message: 'There is no such result, or it is no longer kept.',
}

/** What one person has fetched may not be for another, who gets a reference of their own. */
const ownerOf = (tenant: string, user: string | undefined, run: string | undefined) =>
  JSON.stringify(user === undefined ? [tenant, null, run ?? null] : [tenant, user])

const keyOf = async (owner: string, value: JsonValue) =>
  `${typeof value === 'string' ? sha256(value) : await inSlices(hashInSteps(value))} ${owner}`

/** The reference of a result that is stored already: the result itself, or a member that is most of it. */
async function sameResult(
  json: JsonValue,
  refOf: (value: JsonValue) => Promise<string | undefined>,
): Promise<string | undefined> {
  const whole = await refOf(json)
  if (whole !== undefined || typeof json !== 'object' || json === null) return whole
  const members = Object.values(json).slice(0, maxMembers)
  const isLarge = (member: JsonValue) => typeof member === 'string' || Array.isArray(member) || isObject(member)
  for (const member of members) {
    const ref = isLarge(member) ? await refOf(member) : undefined
    if (ref !== undefined && (await isMostOf(member, json))) return ref
  }
  return undefined
}

/** The other members may say where it is from; with more than that, the object is a result of its own. */
async function isMostOf(member: JsonValue, whole: JsonValue): Promise<boolean> {
  const { length } = await inSlices(writtenInSteps(member))
  return (await inSlices(writtenInSteps(whole))).length - length <= Math.min(1_024, length / 4)
}

function accessOf(call: AdmittedCall): Access {
  const { tool } = call
  const { identity, security } = tool.contract
  return {
    tool: identity.name,
    scopes: security.required_scopes,
    roles: tool.binding.roles ?? null,
    classification: security.data_classification,
    user: call.principal.user ?? null,
    run: call.run ?? null,
    labels: outputLabels(tool),
  }
}

/** Data that is not for all of a tenant belongs to whom it was fetched for: the user, or the run where none was named. */
const ownOnly: ReadonlySet<Access['classification']> = new Set(['confidential', 'regulated', 'secret'])

function accessRefusal(access: Access, { user, run, roles, scopes }: Reader): string | undefined {
  const missing = access.scopes.filter((scope) => !scopes.includes(scope))
  if (missing.length > 0) return `A result of ${access.tool} needs the scope ${missing[0]}.`
  if (access.roles !== null && !access.roles.some((role) => roles.includes(role)))
    return `A result of ${access.tool} is for other roles.`
  if (!ownOnly.has(access.classification)) return undefined
  const isOwn = access.user === null ? access.run !== null && access.run === run : access.user === user
  return isOwn ? undefined : `This result is ${access.classification}: only whom it was fetched for may read it.`
}

function countOf(given: number | undefined, otherwise: number, most: number, least = 0): number {
  if (typeof given !== 'number' || Number.isNaN(given)) return otherwise
  return Math.max(least, Math.min(most, Math.trunc(given)))
}

/** Never between the two halves of a surrogate pair. */
function boundary(text: string, at: number): number {
  const isInside = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return isInside ? at - 1 : at
}
