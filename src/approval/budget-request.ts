// More of a budget, asked for as a packet of its own: what is left, how much more is wanted and why. With the last vote the limit is raised,
// for its present window or run; the raise bears the approval's id, so that it counts once.

import type { ApprovalRequest, Question } from '../contract/approval/approval.ts'
import { requirementOf } from '../contract/approval/approval-pattern.ts'
import { Fault } from '../contract/fault.ts'
import type { Clock } from '../json/clock.ts'
import { hashJson } from '../json/hash.ts'
import { type Entropy, uuidv7 } from '../json/id.ts'
import type { JsonObject } from '../json/value.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import type { Balance } from '../ledger/ports/limits.ts'
import { counterOf } from '../policy/budgets/claims.ts'
import type { Budgets, Limit } from '../policy/budgets/limit.ts'
import { amountText, inMillionths, readAmount } from '../policy/budgets/money.ts'
import { type ApprovalView, viewOf } from './approval-desk.ts'
import { hashedQuestion } from './question.ts'

export interface BudgetRequest {
  /** The limit's id; `write` and its like where no other was configured. */
  readonly limit: string
  /** So many calls more, or so much more money. */
  readonly amount: number
  readonly why: string
  /** Where the limit counts per tool. */
  readonly tool?: string
}

export interface BudgetAsker {
  readonly tenant?: string
  readonly user?: string
  readonly agent?: string
  readonly run?: string
  readonly trace?: string
}

interface RequestInput {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly entropy: Entropy
  readonly budgets: Budgets
}

const askMs = 86_400_000
const maxOpen = 100
const maxWhyLength = 2_000

export async function requestBudget(
  { ledger, clock, entropy, budgets }: RequestInput,
  request: BudgetRequest,
  asker: BudgetAsker,
): Promise<ApprovalView> {
  const limit = budgets.limits.find(({ id }) => id === request.limit)
  if (limit === undefined) {
    const known = budgets.limits.map(({ id }) => id).join(', ')
    throw new Fault('bad_options', `There is no limit ${String(request.limit).slice(0, 64)}; known are ${known}.`)
  }
  const amount = amountOf(limit, request.amount)
  if (typeof request.why !== 'string' || request.why.trim() === '')
    throw new Fault('bad_options', 'A request for more says why.')
  // The person who asks may not approve, so it has to be known who asks.
  if (asker.user === undefined) throw new Fault('bad_options', 'A request for more says who asks: name the user.')
  if (request.why.length > maxWhyLength)
    throw new Fault('bad_options', `A reason is at most ${maxWhyLength} characters long.`)
  const counter = counterOf(limit, { run: asker.run, user: asker.user, tool: request.tool ?? '' })
  if (counter === undefined) throw new Fault('bad_options', 'This limit counts per run; name the run.')
  const tenant = asker.tenant ?? 'default'
  const [balance] = await ledger.limits.balances(tenant, [counter])
  const now = clock.now()
  const ids = { id: uuidv7(now, entropy), callId: uuidv7(now, entropy) }
  const content = { limit: limit.id, name: counter.name, window_ms: counter.windowMs ?? null, amount, why: request.why }
  const approval = await ledger.approvals.open(
    packetRequest({ limit, content, balance, asker: { ...asker, tenant }, ...ids }),
    maxOpen,
  )
  if (approval === undefined)
    throw new Fault('bad_options', `${maxOpen} requests of this user wait already in this run.`)
  return viewOf(approval, now)
}

function amountOf({ kind }: Limit, wanted: number): number {
  const decimal = readAmount(wanted)
  const amount = decimal === undefined ? undefined : kind === 'financial' ? inMillionths(decimal) : wanted
  if (amount === undefined || !Number.isSafeInteger(amount) || amount <= 0)
    throw new Fault('bad_options', 'Say how much more: a number of calls, or an amount of money, above zero.')
  return amount
}

interface RaiseInput {
  readonly limit: Limit
  readonly content: JsonObject & { readonly amount: number; readonly why: string }
  readonly balance: Balance | undefined
  readonly asker: BudgetAsker & { readonly tenant: string }
  readonly id: string
  readonly callId: string
}

function packetRequest({ limit, content, balance, asker, id, callId }: RaiseInput): ApprovalRequest {
  const text = (amount: number) =>
    limit.currency === undefined ? String(amount) : `${amountText(amount)} ${limit.currency}`
  const payloadHash = hashJson(content)
  const max = limit.max + (balance?.raised ?? 0)
  const isGrave = limit.kind === 'financial' || limit.kind === 'critical'
  const policies = [`budget/${limit.id}`]
  const requirement = { ...requirementOf(isGrave ? 'dual_control' : 'operator_review'), ttlMs: askMs }
  const question: Question = {
    actionName: { tool: 'proviso.budgets', version: '1.0.0', title: `Raise the budget ${limit.id}` },
    consequence: `Raises the limit on ${limit.what} by ${text(content.amount)}, from ${text(max)} to ${text(max + content.amount)}.`,
    // Counters hold millionths; people read money.
    arguments: Object.entries({ ...content, amount: text(content.amount) }).map(([key, value]) => ({
      pointer: `/${key}`,
      value,
      origin: 'given',
    })),
    beforeState: { used: text(balance?.used ?? 0), max: text(max) },
    afterState: { used: text(balance?.used ?? 0), max: text(max + content.amount) },
    fingerprint: payloadHash,
    riskClass: {
      class: isGrave ? 'CRITICAL_MUTATION' : 'MEDIUM_RISK_WRITE',
      why: [{ source: `budget/${limit.id}`, message: 'What a run may spend is raised by people alone.' }],
    },
    compensation: 'What is spent of it stays spent; the raise ends with its window or run.',
    rejectionPath: 'The limit stays as it is.',
    trace: asker.trace ?? callId.replaceAll('-', ''),
    callId,
    tenant: asker.tenant,
    requester: { user: asker.user, agent: asker.agent },
    run: asker.run,
  }
  const ground = { payloadHash, contractHash: '', executorVersion: null, stateVersion: null }
  return {
    id: `raise_${id}`,
    kind: 'budget',
    callId,
    run: asker.run,
    subject: { tenant: asker.tenant, slotKey: `budget:${payloadHash}`, generation: 1, payloadHash },
    ...hashedQuestion(question, ground, requirement, policies),
    barred: [],
    content,
    resume: false,
    ttlMs: askMs,
    replaces: undefined,
    waiting: undefined,
  }
}
