// What people have approved of what others publish: one pin for each source and each set of client capabilities that was declared to it,
// because a server may list other tools to another client. Pins belong to the installation, not to a tenant.
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

export interface PinKey {
  /** The name that people gave it. */
  readonly source: string
  /** As they were declared when it was asked; `{}` for none. */
  readonly capabilities: JsonObject
}

export interface PinnedTool {
  readonly name: string
  /** SHA-256 of `raw` in canonical form, with `snapshot` where there is one. */
  readonly hash: string
  /** What was published, as it came over the wire. */
  readonly raw: JsonValue
  /** What it was read as, where that cannot be read from `raw` alone. */
  readonly snapshot?: JsonObject
  readonly approvedBy: string
  readonly approvedAt: EpochMs
  readonly why?: string
}

/** An entry that is no tool, and is known to be none: it is never offered, and not told of again while it stays as it is. */
export interface PinnedMalformed {
  readonly name: string
  readonly hash: string
  readonly raw: JsonValue
}

/** What a look has found of a tool that is not looked at when it is called. */
export interface FoundDrift {
  readonly name: string
  /** Of what was served then; undefined where it was gone. */
  readonly hash?: string
  /** The rules that its change falls under. */
  readonly rules: readonly string[]
}

export interface Pin extends PinKey {
  readonly kind: 'mcp' | 'openapi'
  /** Where it is served, for the next look; no secrets. */
  readonly place?: JsonObject
  /** Counts from 1. */
  readonly revision: number
  readonly tools: readonly PinnedTool[]
  readonly malformed: readonly PinnedMalformed[]
  /** Held in every process until a person approves it, or a look finds it to be as it was approved. */
  readonly drifted?: readonly FoundDrift[]
}

export type PinWriter = 'person' | 'look'

export interface PinStore {
  /** Reviewed by people, such as a file under version control: nothing is written there but what they approve. */
  readonly reviewed?: boolean
  /** The newest revision; `known` itself where it is that. */
  get(key: PinKey, known?: Pin | undefined): Awaitable<Pin | undefined>
  /** The newest revision of each, by name of the source. */
  list(): Awaitable<readonly Pin[]>
  /**
   * Adds a revision; false where it is not the next one: another one has written meanwhile. What a look has found takes the place of what
   * the look before it found, so that a source which is never the same twice fills nothing; what people approved stays for ever.
   */
  save(pin: Pin, by: PinWriter): Awaitable<boolean>
}

export const pinId = ({ source, capabilities }: PinKey): string => hashJson(['pin', source, capabilities])
