// Pins: the tools of others as people have approved them. There is one pin for each source and each set of client capabilities declared to
// it, because a server may list other tools to another client. Pins belong to the installation, not to a tenant.
import type { Awaitable } from '../../contract/tool/executor.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashJson } from '../../json/hash.ts'
import type { JsonObject, JsonValue } from '../../json/value.ts'

export interface PinKey {
  /** The name that people gave it. */
  readonly source: string
  /** As they were declared to the source; `{}` for none. */
  readonly capabilities: JsonObject
}

export interface PinnedTool {
  readonly name: string
  /** SHA-256 of `raw` in canonical form, with `snapshot` where there is one. */
  readonly hash: string
  /** What was published, as it came over the wire. */
  readonly raw: JsonValue
  /** The tool as it was read, where `raw` alone does not say it. */
  readonly snapshot?: JsonObject
  readonly approvedBy: string
  readonly approvedAt: EpochMs
  readonly why?: string
}

/** An entry that is known to be no tool: it is never offered, and not reported again while it stays as it is. */
export interface PinnedMalformed {
  readonly name: string
  readonly hash: string
  readonly raw: JsonValue
}

/** A change that a look has found, of a tool whose calls do not see its definition. */
export interface FoundDrift {
  readonly name: string
  /** The hash of what was served then; undefined where the tool was gone. */
  readonly hash?: string
  /** The rules that found the change. */
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
  /** Held in every process until a person approves it, or a look finds it as it was approved. */
  readonly drifted?: readonly FoundDrift[]
}

export type PinWriter = 'person' | 'look'

export interface PinStore {
  /** Reviewed by people, such as a file under version control: only their approvals are written there. */
  readonly reviewed?: boolean
  /** The newest revision; where that is `known`, the same object. */
  get(key: PinKey, known?: Pin | undefined): Awaitable<Pin | undefined>
  /** The newest revision of each, by name of the source. */
  list(): Awaitable<readonly Pin[]>
  /**
   * Adds a revision; false where it is not the next one, because another process has written meanwhile. A look replaces what the look before
   * it found, so that a source which changes every time does not fill the store; what people approved stays for ever.
   */
  save(pin: Pin, by: PinWriter): Awaitable<boolean>
}

export const pinId = ({ source, capabilities }: PinKey): string => hashJson(['pin', source, capabilities])
