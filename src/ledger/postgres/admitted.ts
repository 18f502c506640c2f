// What was written of a call when it was admitted, kept by its owner until the attempt ends: the end then writes only what is new, and the
// database puts it behind what it has. A record or a group of facts is therefore one line of JSON, or two.
import type { Fact } from '../../contract/fact.ts'
import type { CallRecord } from '../ledger.ts'
import { factsText } from './facts-row.ts'

export interface Admitted {
  readonly call: CallRecord
  readonly callText: string
  readonly factsText: string
}

export function admittedOf({ call, facts }: { readonly call: CallRecord; readonly facts: readonly Fact[] }): Admitted {
  return { call, callText: JSON.stringify(call), factsText: factsText(facts) }
}

/** What the end of a call changes of its record, as a line behind it; undefined where adding to it does not say that. */
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
