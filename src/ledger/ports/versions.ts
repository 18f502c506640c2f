// The store of decisions about versions, and of the versions that each run began with.

import type { VersionDecision } from '../../contract/release/version-decision.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'

export interface VersionStore {
  /** The decisions after this number, in order. */
  decisions(after: number): Awaitable<readonly VersionDecision[]>
  /** Writes the next decision; false where its number is not the next one any more, and then nothing is written. */
  decide(decision: Omit<VersionDecision, 'at'>): Awaitable<boolean>
  /**
   * The versions that the run began with, by tool. A tool that is new to the run gets the wanted version; a moved version replaces the one
   * that was there. It is one step: two callers that ask at once get the same.
   */
  ofRun(
    tenant: string,
    run: string,
    wanted: ReadonlyMap<string, string>,
    moved?: ReadonlyMap<string, string>,
  ): Awaitable<ReadonlyMap<string, string>>
}
