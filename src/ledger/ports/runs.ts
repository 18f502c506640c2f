// Labels, denials and discovered tools of runs: later decisions of a run read them, so they are durable before the answer.
import type { Awaitable } from '../../contract/tool/executor.ts'

export interface Runs {
  /** The labels of a run, and so of all runs of its family: what one of them has read, it may have passed on to the others. */
  labels(tenant: string, run: string): Awaitable<readonly string[]>
  /** Adds labels to a run and its family, which first joins the parent's family where one is named. Gives all labels of the run. */
  addLabels(tenant: string, run: string, labels: readonly string[], parent?: string): Awaitable<readonly string[]>
  /** Counts that a run was denied a tool once more. */
  countDenial(tenant: string, run: string, tool: string): Awaitable<number>
  /** Notes tools that were shown to the run beyond its surface. */
  discover(tenant: string, run: string, tools: readonly string[]): Awaitable<void>
  discovered(tenant: string, run: string): Awaitable<ReadonlySet<string>>
}
