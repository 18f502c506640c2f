// Waits for a condition, not for a time.
import { setTimeout as sleep } from 'node:timers/promises'

/** False where the condition does not come true within this time. */
export async function until(condition: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs
  for (;;) {
    if (await condition()) return true
    if (performance.now() > deadline) return false
    await sleep(40)
  }
}
