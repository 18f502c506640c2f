// Where decisions about versions live, and what each run began with.

import type { VersionDecision } from '../../contract/release/version-decision.ts'
import type { Awaitable } from '../../contract/tool/executor.ts'

export interface VersionStore {
  /** What was decided after this number, in order. */
  decisions(after: number): Awaitable<readonly VersionDecision[]>
  /** Writes the next decision; false where its number is not the next one any more, and then nothing is written. */
  decide(decision: Omit<VersionDecision, 'at'>): Awaitable<boolean>
  /**
   * What the run began with, by tool: what it has not begun yet, it begins as wanted. What is moved takes the place of what was there.
   * In one step: of two who ask at once, both get the same.
   */
  ofRun(
    tenant: string,
    run: string,
    wanted: ReadonlyMap<string, string>,
    moved?: ReadonlyMap<string, string>,
  ): Awaitable<ReadonlyMap<string, string>>
}
