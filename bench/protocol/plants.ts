// A check that finds nothing has to be checked: each of these puts one fault in the place of a rule or of a decision, and says in which
// setting it must be found.
import type { RecoveryReading } from '../../src/execute/attempt/recovery.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import { settleRule } from '../../src/ledger/rules/settle.ts'
import { closingRule, slotRule } from '../../src/ledger/rules/slot.ts'
import type { Case, Row, RuleTable } from '../../src/ledger/rules/table.ts'
import { decisions } from './decisions.ts'
import { horizonMs, type Setting } from './setting.ts'

export interface Plant {
  readonly name: string
  /** Of these settings, the one in which it is looked for. */
  readonly setting: string
  plant(): () => void
}

export const plants: readonly Plant[] = [
  {
    name: 'an operation under way may be tried again',
    setting: 'no way to tell',
    plant: () => row(slotRule, 'under_way', { verdict: 'retry' }),
  },
  {
    name: 'an operation that has ended is tried again',
    setting: 'commits with the ledger',
    plant: () => row(slotRule, 'has_ended', { verdict: 'retry' }),
  },
  {
    name: 'an operation that was forgotten is tried again',
    setting: 'answers that lapse',
    plant: () => row(slotRule, 'forgotten', { verdict: 'retry' }),
  },
  {
    name: 'an owner that did nothing speaks for the start of another',
    setting: 'a key, one call',
    plant: () => row(settleRule, 'did_nothing', { when: { pending: true, attempt: 'same', says: 'none' } }),
  },
  {
    name: 'a saga closes an operation that is under way',
    setting: 'operations of callers',
    plant: () => row(closingRule, 'under_way', { verdict: 'close' }),
  },
  {
    name: 'what no one can find out counts as undone',
    setting: 'no way to tell',
    plant: () =>
      decision('planRecovery', (plan) => (plan.kind === 'hold' ? { kind: 'undone', how: 'transaction' } : plan)),
  },
  {
    name: 'a request is sent again whenever the provider has a key',
    setting: 'a key, one call',
    plant: () =>
      decision('planRecovery', (plan, { tool }) =>
        tool?.binding.recovery.providerWindowMs === undefined
          ? plan
          : { kind: 'send_again', how: 'provider_key', withinMs: tool.binding.recovery.providerWindowMs },
      ),
  },
  {
    name: 'absence counts at once',
    setting: 'a verifier, one call',
    plant: () => readBack((given) => ({ ...given, absenceCountsAt: 0 as EpochMs, owner: 'dead' })),
  },
  {
    name: 'absence counts without the horizon, under a clock that steps',
    setting: 'its signal only, killed',
    plant: () =>
      decision('planRecovery', (plan) =>
        plan.kind === 'read_back' ? { ...plan, absenceCountsAt: (plan.absenceCountsAt - horizonMs) as EpochMs } : plan,
      ),
  },
  {
    name: 'an owner that was cut off just now counts as dead',
    setting: 'a verifier, clocks that stand still until it is killed',
    plant: () => readBack((given) => ({ ...given, owner: given.owner === 'fenced' ? 'dead' : given.owner })),
  },
  {
    name: 'an owner that cannot be cut off counts as dead',
    setting: 'a verifier, owners that cannot be cut off',
    plant: () => readBack((given) => ({ ...given, owner: given.owner === 'alive' ? 'dead' : given.owner })),
  },
  {
    name: 'a request sent again that did nothing speaks for the first one',
    setting: 'a key, one call',
    plant: () => decision('effectOfStart', (_known, says) => says),
  },
  {
    name: 'executors do not ask whether they may act',
    setting: 'a verifier, one call',
    plant: () => decision('mayActFor', () => true),
  },
  {
    name: 'an owner that gave up a moment ago counts as dead',
    setting: 'a verifier, clocks that stand still until it is killed',
    plant: () => decision('ownerByRecord', (known) => (known === 'fenced' ? 'dead' : known)),
  },
  {
    name: 'no person is asked about what is held',
    setting: 'no way to tell',
    plant: () => decision('unknownEnd', (unknown) => ({ ...unknown, asks: false })),
  },
]

type Decisions = typeof decisions

function decision<K extends keyof Decisions>(
  name: K,
  fault: (decided: ReturnType<Decisions[K]>, ...given: Parameters<Decisions[K]>) => ReturnType<Decisions[K]>,
): () => void {
  const real = decisions[name] as (...given: readonly unknown[]) => ReturnType<Decisions[K]>
  const planted = (...given: Parameters<Decisions[K]>) => fault(real(...given), ...given)
  Object.assign(decisions, { [name]: planted })
  return () => void Object.assign(decisions, { [name]: real })
}

function readBack(change: (given: RecoveryReading) => RecoveryReading): () => void {
  const real = decisions.judgeReadBack
  decisions.judgeReadBack = (given) => real(change(given))
  return () => {
    decisions.judgeReadBack = real
  }
}

function row<C extends Case, V extends string>(
  rule: RuleTable<C, V>,
  id: string,
  change: Partial<Row<C, V>>,
): () => void {
  const rows = rule.rows as Row<C, V>[]
  const at = rows.findIndex((each) => each.id === id)
  const real = rows[at]
  if (real === undefined) throw new Error(`The rule ${rule.name} has no row ${id}.`)
  rows[at] = { ...real, ...change }
  return () => {
    rows[at] = real
  }
}

/** With the fault in its place, for as long as the work takes. */
export function planted<T>(plant: Plant, work: () => T): T {
  const restore = plant.plant()
  try {
    return work()
  } finally {
    restore()
  }
}

export function settingOf({ setting }: Plant, settings: readonly Setting[]): Setting {
  const found = settings.find(({ name }) => name === setting)
  if (found === undefined) throw new Error(`There is no setting ${setting}.`)
  return found
}
