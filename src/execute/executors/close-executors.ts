// Ends what executors keep open between calls: those that run a tool, and those that read its effect back.
import type { Binding, Executor } from '../../contract/tool/tool.ts'

/** Each is closed once, whatever becomes of the others. */
export async function closeExecutors(bindings: Iterable<Binding>, report: (fault: unknown) => void): Promise<void> {
  const executors = new Set<Executor>()
  for (const { executor, verifier } of bindings) {
    executors.add(executor)
    for (const source of verifier?.sources ?? []) {
      if (typeof source === 'object' && typeof source.read === 'object') executors.add(source.read)
    }
  }
  const ends = await Promise.allSettled([...executors].map(async (executor) => executor.close?.()))
  for (const end of ends) if (end.status === 'rejected') report(end.reason)
}
