// How the limits of a subject stand: what is used, what people have added, what is left, and when the count begins anew.
import type { BudgetKind } from '../../contract/effects.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { toIso } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { CounterRef } from '../../ledger/ports/limits.ts'
import { counterOf, type Subject } from './claims.ts'
import type { Budgets, Limit, LimitScope } from './limit.ts'
import { amountText } from './money.ts'

export interface LimitLeft {
  readonly limit: string
  readonly kind: BudgetKind
  readonly per: LimitScope
  /** The tool, where it is counted per tool. */
  readonly tool?: string
  /** `calls`, or a currency. */
  readonly unit: string
  /** Decimal texts, so that money stays exact. */
  readonly max: string
  readonly raised: string
  readonly used: string
  readonly left: string
  readonly resetsAt?: string
}

interface Asked {
  readonly limit: Limit
  readonly counter: CounterRef
  readonly tool: string | undefined
}

export async function limitsLeft(
  ledger: Pick<Ledger, 'limits'>,
  budgets: Budgets,
  tools: Iterable<Tool>,
  { tenant, ...who }: Omit<Subject, 'tool'> & { readonly tenant: string },
): Promise<readonly LimitLeft[]> {
  const all = [...tools]
  const asked = budgets.limits.flatMap((limit): readonly Asked[] => {
    const names =
      limit.per === 'tool' ? all.filter((tool) => isCounted(limit, tool, budgets)).map(toolName) : [undefined]
    return names.flatMap((tool) => {
      const counter = counterOf(limit, { ...who, tool: tool ?? '' })
      return counter === undefined ? [] : [{ limit, counter, tool }]
    })
  })
  const balances = await ledger.limits.balances(
    tenant,
    asked.map(({ counter }) => counter),
  )
  return asked.map(({ limit, tool }, index) => {
    const { used = 0, raised = 0, resetsAt } = balances[index] ?? {}
    const text = limit.currency === undefined ? String : amountText
    return {
      limit: limit.id,
      kind: limit.kind,
      per: limit.per,
      ...(tool === undefined ? {} : { tool }),
      unit: limit.currency ?? 'calls',
      max: text(limit.max),
      raised: text(raised),
      used: text(used),
      left: text(Math.max(0, limit.max + raised - used)),
      ...(resetsAt === undefined ? {} : { resetsAt: toIso(resetsAt) }),
    }
  })
}

const toolName = ({ contract }: Tool) => contract.identity.name

function isCounted(limit: Limit, tool: Tool, budgets: Budgets): boolean {
  const { calls, money } = budgets.of(tool)
  return calls.includes(limit) || money.includes(limit)
}
