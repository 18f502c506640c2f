// Sends the newest checkpoint of each tenant to where it is kept out of reach of those who can write to the database. What was sent is
// remembered here and not in the database, where a writer could say that it was.
import { keepCheckpoint } from '../../log/kept-checkpoints.ts'
import type { TenantCheckpoint } from '../../ports/transparency-log.ts'

/** Returns why some could not be sent; those are sent the next time. */
export function createPublisher(target: string): (newest: readonly TenantCheckpoint[]) => Promise<string | undefined> {
  const sent = new Map<string, number>()
  return async (newest) => {
    for (const { tenant, size, text } of newest) {
      if (sent.get(tenant) === size) continue
      const keeping = await keepCheckpoint(target, text)
      if (!keeping.ok) return keeping.reason
      sent.set(tenant, size)
    }
    return undefined
  }
}
