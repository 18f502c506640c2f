// The texts that were written of a call at its admission, kept by its owner until the attempt ends: the end then writes only what is new, and
// the database puts it behind the first text. A record or a group of facts is therefore one line of JSON, or two.
import type { Fact } from '../../../contract/call/fact.ts'
import { systemEntropy } from '../../../json/id.ts'
import { slotDigest } from '../../log/binds.ts'
import type { CallRecord } from '../../ports/calls.ts'
import { callText } from './call-text.ts'
import { factsText } from './facts-row.ts'

export interface AdmittedTexts {
  readonly call: CallRecord
  readonly callText: string
  readonly factsText: string
  /** More that its end needs; made while the database is at work on the admission. */
  ahead: Ahead | undefined
}

export interface Ahead {
  readonly generation: number
  /** Of the row of its facts, in hex. */
  readonly salt: string
  readonly slotDigest: string
}

/** As the column's default has it; drawn here, because the database takes ten times as long for as many random bytes. */
const saltBytes = 24

export const aheadOf = (slotKey: string, generation: number): Ahead => ({
  generation,
  salt: Buffer.from(systemEntropy.bytes(saltBytes)).toString('hex'),
  slotDigest: slotDigest(slotKey, generation),
})

export function admittedOf({
  call,
  facts,
}: {
  readonly call: CallRecord
  readonly facts: readonly Fact[]
}): AdmittedTexts {
  return { call, callText: callText(call), factsText: factsText(facts), ahead: undefined }
}

/** The changes of a record by the end of its call, as a line behind it; undefined where a line behind it cannot say them. */
export function endingOf(before: CallRecord, after: CallRecord): string | undefined {
  const changed: { -readonly [K in keyof CallRecord]?: unknown } = {}
  for (const each in after) {
    const name = each as keyof CallRecord
    const value = after[name]
    // By its key the call was admitted; it is made anew for every record and never another.
    if (value === before[name] || name === 'key') continue
    if (value === undefined) return undefined
    changed[name] = value
  }
  return `\n${JSON.stringify(changed)}`
}
