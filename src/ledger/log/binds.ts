// What a group of facts says about the rows that were written beside it, in the same commit: the hashes of their bytes. They stand first
// in the group's text, so that they are read without the rest of it.
import { hash } from 'node:crypto'

export interface Binds {
  /** Of the call's record, which replaced whatever was there. */
  readonly call?: string
  /** Of the slot and its generation that the answer went to. */
  readonly slot?: string
  /** Of the answer that a settle brought; one that came late was not stored. */
  readonly answer?: string
  /** Of the answer as the phases after the settle have made it. */
  readonly amended?: string
}

/** Longer than the beginning of any group, up to the end of what it binds. */
export const bindsLength = 400

const beginning = /^\{"binds":(\{[^{}]*\})/

/** Undefined where the group binds nothing, or is none. */
export function readBinds(text: string): Binds | undefined {
  const found = beginning.exec(text)?.[1]
  if (found === undefined) return undefined
  try {
    return JSON.parse(found) as Binds
  } catch {
    // Somebody wrote something else there, which is found where its facts are checked.
    return undefined
  }
}

export const digestOf = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex')

export const slotDigest = (slotKey: string, generation: number): string => digestOf(`${slotKey} ${generation}`)
