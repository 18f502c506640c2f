// Limits as a host writes them, and as calls are counted by them. A limit that cannot be meant as it stands is refused when it is read.
import { type BudgetKind, type CallKind, type EffectClass, effectRow, effects } from '../../contract/effects.ts'
import { Fault } from '../../contract/fault.ts'
import { asIs, checkOptions, list, listOf, type OptionTable } from '../../contract/options.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import { currencyOf, inMillionths, readAmount } from './money.ts'

export type LimitScope = 'run' | 'tool' | 'tenant' | 'user'

export interface LimitOptions {
  /** Named in refusals, and by the person who raises it. */
  readonly id: string
  readonly kind: BudgetKind
  /** What is counted together: the calls of a run, of a tool, of a user, or all of a tenant. */
  readonly per: LimitScope
  /** The count begins anew with each window of this length; without it, never. */
  readonly windowSec?: number
  /** Calls, or money of the currency. */
  readonly max: number
  /** Of a financial limit; amounts in another currency do not count against it. */
  readonly currency?: string
  /** Only these tools. */
  readonly tools?: readonly string[]
  /** Only tools of these effect classes. */
  readonly classes?: readonly EffectClass[]
}

/** How many calls of each kind one run may make, and any limits besides. */
export type BudgetOptions = { readonly [Kind in CallKind]?: number } & { readonly limits?: readonly LimitOptions[] }

export interface Limit {
  readonly id: string
  readonly kind: BudgetKind
  readonly per: LimitScope
  readonly windowMs: number | undefined
  /** Calls, or millionths of the currency. */
  readonly max: number
  readonly currency: string | undefined
  readonly tools: ReadonlySet<string> | undefined
  readonly classes: ReadonlySet<string> | undefined
  /** Every run has it, and calls outside of any run have none. */
  readonly standing: boolean
  /** What is counted, in words for the model. */
  readonly what: string
}

export interface Budgets {
  readonly limits: readonly Limit[]
  /** The limits that count calls of this tool: by number, and by what they cost. */
  of(tool: Pick<Tool, 'contract'>): ToolLimits
}

export interface ToolLimits {
  readonly calls: readonly Limit[]
  readonly money: readonly Limit[]
}

/** A run may read a lot, write a little, reach outside seldom; critical mutations need to be allowed explicitly. */
const defaults: Readonly<Record<CallKind, number>> = { read: 1_000, write: 100, external: 20, critical: 0 }
const callKinds = Object.keys(defaults) as readonly CallKind[]

const limitOptions: OptionTable<LimitOptions> = {
  id: asIs,
  kind: asIs,
  per: asIs,
  windowSec: asIs,
  max: asIs,
  currency: asIs,
  tools: list,
  classes: list,
}

const budgetOptions: OptionTable<BudgetOptions> = {
  read: asIs,
  write: asIs,
  external: asIs,
  critical: asIs,
  limits: listOf(limitOptions),
}

/** Throws a Fault that names the limit and what is wrong with it. */
export function readBudgets(options: BudgetOptions = {}): Budgets {
  checkOptions('budgets', budgetOptions, options)
  const standing = callKinds.map((kind) =>
    limitOf({ id: kind, kind, per: 'run', max: options[kind] ?? defaults[kind] }, true),
  )
  const limits = [...standing, ...(options.limits ?? []).map((limit) => limitOf(limit, false))]
  const ids = limits.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw wrong(twice, 'there are two limits of this id')
  const known = new WeakMap<Tool['contract'], ToolLimits>()
  return {
    limits,
    of({ contract }) {
      const cached = known.get(contract)
      if (cached !== undefined) return cached
      const applying = limits.filter((limit) => applies(limit, contract))
      const found = {
        calls: applying.filter(({ kind }) => kind !== 'financial'),
        money: applying.filter(({ kind }) => kind === 'financial'),
      }
      known.set(contract, found)
      return found
    },
  }
}

function applies({ kind, tools, classes }: Limit, { identity, transactional }: Tool['contract']): boolean {
  const { side_effect_class: effect } = transactional
  if (kind !== 'financial' && kind !== effectRow(effect).budget) return false
  return (tools?.has(identity.name) ?? true) && (classes?.has(effect) ?? true)
}

const scopes: Readonly<Record<LimitScope, string>> = {
  run: 'of this run',
  tool: 'of this tool',
  tenant: 'of this tenant',
  user: 'of this user',
}

/** Names without a colon keep the names of counters apart. */
const idSyntax = /^[A-Za-z0-9_.-]{1,64}$/
const longestWindowSec = 366 * 86_400

function limitOf(limit: LimitOptions, standing: boolean): Limit {
  const { id, kind, per, windowSec, tools, classes } = limit
  if (typeof id !== 'string' || !idSyntax.test(id))
    throw wrong(String(id), 'an id has up to 64 letters, digits, dots, dashes and underscores')
  if (kind !== 'financial' && !callKinds.includes(kind)) throw wrong(id, `there is no kind ${String(kind)}`)
  if (!Object.hasOwn(scopes, per)) throw wrong(id, `it cannot count per ${String(per)}`)
  if (windowSec !== undefined && !(Number.isSafeInteger(windowSec) && windowSec > 0 && windowSec <= longestWindowSec))
    throw wrong(id, 'a window has a whole number of seconds, a year at most')
  const unknown = classes?.find((name) => !Object.hasOwn(effects, name))
  if (unknown !== undefined) throw wrong(id, `there is no effect class ${String(unknown)}`)
  const { max, currency } = kind === 'financial' ? moneyOf(limit) : countOf(limit)
  const unit = currency === undefined ? `${kind} calls` : `${currency} spent by calls`
  return {
    id,
    kind,
    per,
    windowMs: windowSec === undefined ? undefined : windowSec * 1_000,
    max,
    currency,
    tools: tools === undefined ? undefined : new Set(tools),
    classes: classes === undefined ? undefined : new Set(classes),
    standing,
    what: `${unit} ${scopes[per]}`,
  }
}

function countOf({ id, max, currency }: LimitOptions): { readonly max: number; readonly currency: undefined } {
  if (currency !== undefined) throw wrong(id, 'only a financial limit has a currency')
  if (!Number.isSafeInteger(max) || max < 0) throw wrong(id, 'its max is no whole number of calls')
  return { max, currency: undefined }
}

function moneyOf({ id, max, currency }: LimitOptions): { readonly max: number; readonly currency: string } {
  const named = currencyOf(currency)
  if (named === undefined) throw wrong(id, 'a financial limit names its currency, such as EUR')
  const amount = readAmount(max)
  const millionths = amount === undefined ? undefined : inMillionths(amount)
  if (millionths === undefined || millionths < 0)
    throw wrong(id, 'its max is no amount of money with six digits behind the point at most')
  return { max: millionths, currency: named }
}

const wrong = (id: string, why: string) => new Fault('bad_options', `The budget limit ${id.slice(0, 64)}: ${why}.`)
