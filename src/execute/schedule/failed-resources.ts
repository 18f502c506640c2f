// On which resources calls of a batch did not succeed, and which later calls depend on that: those on one of these resources, unless both
// calls only read it.
import type { LockWant } from '../../contract/call/call-locks.ts'

export interface FailedResources {
  add(index: number, wants: readonly LockWant[]): void
  isNeededBy(index: number, wants: readonly LockWant[]): boolean
}

export function createFailedResources(): FailedResources {
  /** By mode and key: the first call that did not succeed. */
  const first = new Map<string, number>()
  const isBefore = (place: string, index: number) => (first.get(place) ?? index) < index
  return {
    add(index, wants) {
      for (const { key, mode, resource } of wants) {
        const place = `${mode} ${key}`
        if (resource) first.set(place, Math.min(index, first.get(place) ?? index))
      }
    },
    isNeededBy(index, wants) {
      if (first.size === 0) return false
      return wants.some(
        ({ key, mode }) =>
          isBefore(`exclusive ${key}`, index) || (mode === 'exclusive' && isBefore(`shared ${key}`, index)),
      )
    },
  }
}
