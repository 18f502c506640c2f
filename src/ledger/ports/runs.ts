// What a run has seen and was shown: later decisions of the run read it, so it is durable before the answer.
import type { Awaitable } from '../../contract/tool/executor.ts'

export interface Runs {
  /** What a run carries, and all runs of its family with it: what one of them has seen, the others may have been told. */
  labels(tenant: string, run: string): Awaitable<readonly string[]>
  /** Adds to what a run and its family carry, after making it one family with its parent where one is named. Gives all it carries now. */
  addLabels(tenant: string, run: string, labels: readonly string[], parent?: string): Awaitable<readonly string[]>
  /** Counts that a run was denied a tool once more. */
  countDenial(tenant: string, run: string, tool: string): Awaitable<number>
  /** Notes tools that were shown to the run beyond its surface. */
  discover(tenant: string, run: string, tools: readonly string[]): Awaitable<void>
  discovered(tenant: string, run: string): Awaitable<ReadonlySet<string>>
}
