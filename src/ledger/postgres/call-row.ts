// A call's record as bytes: the whole of it where it is first written, and afterwards only what its end has changed.
import { hashFields } from '../../json/hash.ts'
import type { CallKey, CallRecord } from '../ledger.ts'

/** What may change from the admission of a pass to its end; also its number, since recovery sends again without another admission. */
type Ending = Pick<CallRecord, 'status' | 'effect' | 'latencyMs' | 'told' | 'passes'>

export function endingText({ status, effect, latencyMs, told, passes }: CallRecord): string {
  return JSON.stringify({ status, effect, latencyMs, told, passes } satisfies Ending)
}

export function callRecord(body: Buffer, ending: Buffer | null): CallRecord {
  const call = JSON.parse(body.toString()) as CallRecord
  return ending === null ? call : { ...call, ...(JSON.parse(ending.toString()) as Ending) }
}

/** By which a call is found again; undefined and empty names are different names. */
export function callKeyHash({ tenant, run, providerCallId, tool, inputHash }: CallKey): string {
  return hashFields('proviso.call-key.v1', [tenant, run ?? null, providerCallId ?? null, tool, inputHash])
}

/** A name that a model chose, as a column takes it: no text there has a NUL. The name itself is in the record's bytes. */
export const columnText = (name: string): string => name.replaceAll('\u0000', '\ufffd')
