// A call's record as bytes, and the names by which columns know it.
import { hashFields, sha256 } from '../../../json/hash.ts'
import type { CallKey, CallRecord } from '../../ports/calls.ts'
import { readCallText } from './call-text.ts'

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
