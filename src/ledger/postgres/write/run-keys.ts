// The key by which the database is asked whether a run carries labels. A run of a family carries those of its holder: where this process has
// seen which run that is, it asks by the holder's key. The key of the run itself says only that it belongs to a family, and then its calls
// would be looked up one by one. A holder that has come into another family is found by its own key again.
import { ownedName } from '../../rules/names.ts'
import { runKey } from '../codec/call-text.ts'

export interface RunKeys {
  keyOf(tenant: string, run: string): string
  /** `holder` holds what the run carries. */
  learn(tenant: string, run: string, holder: string): void
}

/** With more than this, all are forgotten. */
const maxHolders = 10_000

export function createRunKeys(): RunKeys {
  const holders = new Map<string, string>()
  return {
    keyOf: (tenant, run) => runKey(tenant, holders.size === 0 ? run : (holders.get(ownedName(tenant, run)) ?? run)),
    learn(tenant, run, holder) {
      if (holder === run) return
      if (holders.size >= maxHolders) holders.clear()
      holders.set(ownedName(tenant, run), holder)
    },
  }
}
