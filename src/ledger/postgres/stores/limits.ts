// States of counters, and raises of their limits by people.
import type { EpochMs } from '../../../json/clock.ts'
import type { Balance, CounterRef, Limits } from '../../ports/limits.ts'
import type { Database } from '../driver/database.ts'

export function createLimitRows(database: Database): Limits {
  const balances = async (tenant: string, counters: readonly CounterRef[]): Promise<readonly Balance[]> => {
    const asked = [tenant, counters.map(({ name }) => name), counters.map(({ windowMs }) => windowMs ?? 0)]
    const rows = await database.read<[number, number, EpochMs | null]>(tenant, 'balances', asked)
    return rows.map(([used, raised, resetsAt]) => ({ used, raised, resetsAt: resetsAt ?? undefined }))
  }
  return {
    balances,
    async raise({ id, tenant, name, windowMs, amount, by, why }) {
      await database.run('raise-limit', [tenant, id, name, windowMs ?? 0, amount, by, why])
      const [balance] = await balances(tenant, [{ name, windowMs }])
      return balance ?? { used: 0, raised: amount, resetsAt: undefined }
    },
  }
}
