// The tables of what lists are asked for. A filter that is misspelt would show everything, also what belongs to other tenants.
import { asIs, checkOptions, type OptionTable, oneOf, trueOrFalse, wholeNumber } from '../contract/options.ts'
import { sagaStates } from '../contract/saga/saga.ts'
import type { ApprovalQuery, GrantQuery } from '../ledger/ports/approvals.ts'
import type { CallQuery } from '../ledger/ports/calls.ts'
import type { SagaQuery } from '../ledger/ports/sagas.ts'

const name = asIs
const limit = wholeNumber(1, 100_000)

const calls: OptionTable<CallQuery> = {
  tenant: name,
  run: name,
  tool: name,
  status: asIs,
  effect: oneOf('none', 'happened', 'unknown'),
  held: trueOrFalse,
  after: name,
  before: name,
  limit,
}

const approvals: OptionTable<ApprovalQuery> = { tenant: name, status: asIs, after: name, limit }
const grants: OptionTable<GrantQuery> = { tenant: name, tool: name, user: name, inForce: trueOrFalse }
const sagas: OptionTable<SagaQuery> = { tenant: name, name, state: oneOf(...sagaStates), limit }

/** How much of it there is, the store knows. */
const range: OptionTable<{ readonly from?: number; readonly length?: number }> = { from: asIs, length: asIs }

const tables = {
  'results.page': range,
  'calls.list': calls,
  'approvals.list': approvals,
  'approvals.grants': grants,
  'sagas.list': sagas,
}

/** The query as it was given, where it can be meant. */
export function checkQuery<Query extends object>(what: keyof typeof tables, query: Query): Query {
  checkOptions(what, tables[what], query)
  return query
}
