// What the gate of a session throws before a model is billed. Each says what is wrong, where, and what to do; none of them goes away by
// trying again.
import type { JsonValue } from '../../json/value.ts'

/** One tool whose remote schema accepts something that the local one refuses. */
export interface SchemaDrift {
  readonly tool: string
  /** Where the local schema finds fault: a JSON Pointer into the arguments. */
  readonly pointer: string
  readonly reason: string
  /** Arguments that the remote schema accepts and this side refuses; undefined where none could be made. */
  readonly witness: JsonValue | undefined
}

/** A remote schema that cannot be compared with the local one. */
export interface SchemaGap {
  readonly tool: string
  /** A JSON Pointer into the schema. */
  readonly pointer: string
  readonly construct: string
  readonly reason: string
}

const shownLength = 400
const witnessText = (value: JsonValue): string => {
  const text = JSON.stringify(value)
  return text.length > shownLength ? `${text.slice(0, shownLength).toWellFormed()}…` : text
}
const named = (text: string): string => text.slice(0, 128).toWellFormed()
const others = (count: number): string =>
  count === 0 ? '' : ` So ${count === 1 ? 'is 1 other tool' : `are ${count} other tools`}.`

/** The remote side may prompt for calls that this side cannot execute. */
export class SchemaDriftError extends Error {
  readonly tool: string
  readonly pointer: string
  readonly reason: string
  readonly witness: JsonValue | undefined
  /** Every tool that was found to drift, the first one first; a hundred at most. */
  readonly drifts: readonly SchemaDrift[]
  readonly count: number

  constructor(first: SchemaDrift, drifts: readonly SchemaDrift[] = [first], count: number = drifts.length) {
    const { tool, pointer, reason, witness } = first
    const call =
      witness === undefined ? '' : ` For example, it accepts the call ${named(tool)}(${witnessText(witness)}).`
    super(
      `The remote schema of the tool ${named(tool)} is broader than the local one at ${pointer === '' ? 'its root' : pointer}: ` +
        `${withStop(reason)}${call}${others(count - 1)} Deploy both sides with schemas that fit; nothing was sent to a model.`,
    )
    this.name = 'SchemaDriftError'
    this.tool = tool
    this.pointer = pointer
    this.reason = reason
    this.witness = witness
    this.drifts = drifts
    this.count = count
  }
}

/** The prover cannot show that the remote schema fits: refused as if it did not. */
export class UnsupportedCloudToolSchema extends Error {
  readonly tool: string
  readonly pointer: string
  readonly construct: string
  readonly reason: string

  constructor({ tool, pointer, construct, reason }: SchemaGap, count = 1) {
    super(
      `The remote schema of the tool ${named(tool)} cannot be compared with the local one: ${construct} at ` +
        `${pointer === '' ? 'its root' : pointer}. ${withStop(reason)}${others(count - 1)} ` +
        'Write the schema without it, or simpler; nothing was sent to a model.',
    )
    this.name = 'UnsupportedCloudToolSchema'
    this.tool = tool
    this.pointer = pointer
    this.construct = construct
    this.reason = reason
  }
}

export type ContractBreach = 'malformed' | 'newer_version' | 'unauthorized' | 'unexpected_status'

/** The relay answers, but not with capabilities that can be read. */
export class CapabilitiesContractError extends Error {
  readonly code: ContractBreach
  /** Of the answer, where that is what is wrong. */
  readonly status: number | undefined
  /** Into the envelope, where that is what is wrong. */
  readonly pointer: string | undefined

  constructor(code: ContractBreach, message: string, at: { readonly status?: number; readonly pointer?: string } = {}) {
    super(`${message} Nothing was sent to a model.`)
    this.name = 'CapabilitiesContractError'
    this.code = code
    this.status = at.status
    this.pointer = at.pointer
  }
}

const withStop = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)
