// What phases may reach beyond the call itself.

import type { Call } from '../contract/call.ts'
import type { BudgetKind } from '../contract/effects.ts'
import type { Hook } from '../contract/hook.ts'
import type { Awaitable, Tool } from '../contract/tool.ts'
import type { Locks } from '../execute/locks.ts'
import type { Clock } from '../json/clock.ts'
import type { Entropy } from '../json/id.ts'
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts'
import type { Voice } from '../policy/voices.ts'

/** A policy of the host, in code: speaks for, against, or for asking a person. */
export interface Policy {
  readonly id: string
  judge(subject: PolicySubject): Awaitable<Omit<Voice, 'source'> | undefined>
}

export interface PolicySubject {
  readonly tool: Tool['contract']
  readonly arguments: NonNullable<Call['permissionInput']>
  readonly tenant: string
  readonly principal: Call['principal']
  readonly run: string | undefined
}

export interface Deps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly entropy: Entropy
  readonly hooks: readonly Hook[]
  readonly policies: readonly Policy[]
  readonly budgets: Readonly<Record<BudgetKind, number>>
  readonly locks: Locks
  /** Told what was thrown that should not have been; answers say only that something was. */
  readonly report: (fault: unknown) => void
  /** Transactions of the ledger's own database that executors are using, by admission. */
  readonly transactions: Map<string, LedgerTransaction>
}
