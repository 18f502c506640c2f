// Standing approvals at the keyboard: asked for from a file, listed with what is left, and revoked.
import type { GrantInput, GrantView } from '../../approval/grants.ts'
import { Fault } from '../../contract/fault.ts'
import { systemClock, toIso } from '../../json/clock.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { isInForce } from '../../ledger/rules/permit.ts'
import { amountText } from '../../policy/budgets/money.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import { loadTools } from '../call/open-trial.ts'
import { type CommandIo, type CommandResult, misuse } from '../command.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { ownKey, printRefusal, withPeople, withPerson } from '../people.ts'
import { lineText } from '../plain-text.ts'
import { type Column, printList, printResult } from '../print.ts'
import { readJsonFile } from '../read-input.ts'
import { wireApproval } from './decide.ts'

const members = ['tool', 'principal', 'agent', 'fields', 'count', 'total_amount', 'expires_at', 'untrusted']

/** The tool has to be known: what is granted is proven narrower than what it takes. */
export async function requestGrant(io: CommandIo): Promise<CommandResult> {
  const own = await ownKey(io)
  if (!own.ok) return own.result
  const reading = await readJsonFile(io.words[0] ?? '', io, 2 ** 20)
  if (!reading.ok) return reading.result
  const input = grantInput(reading.value)
  if (typeof input === 'string') return misuse(input)
  const { tools } = await loadTools(io, { durable: true })
  const opened = await openLedger(io, { make: true })
  if (!opened.ok) return opened.result
  const proviso = await openProviso({ ledger: opened.value, tools, sweepMs: 2 ** 31 - 1 })
  try {
    const request = await proviso.approvals.grant(input, { credential: own.value })
    const result = printResult(io, wireApproval(request), `Asked: ${request.id}`)
    if (!io.json) io.note(`Others decide on it: proviso approvals show ${request.id}`)
    return result
  } catch (error) {
    if (error instanceof Fault && error.code === 'unknown_credential') return printRefusal(error, io)
    throw error
  } finally {
    await proviso.close()
  }
}

function grantInput(value: JsonValue): GrantInput | string {
  if (!isObject(value)) return 'A grant is a JSON object.'
  const stray = Object.keys(value).find((key) => !members.includes(key))
  if (stray !== undefined) return `A grant has no member ${stray.slice(0, 64)}; known are ${members.join(', ')}.`
  const { tool, principal, agent, fields, count, total_amount: total, expires_at: end, untrusted } = value
  if (typeof tool !== 'string' || typeof principal !== 'string' || !isObject(fields))
    return 'A grant names tool, principal and fields.'
  if (typeof count !== 'number' || typeof end !== 'string') return 'A grant has a count and expires_at.'
  return {
    tool,
    principal,
    // The rules of the fields are checked, each with its place, where the grant is made.
    fields: fields as Readonly<Record<string, JsonObject>>,
    count,
    expiresAt: end,
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(typeof total === 'number' ? { totalAmount: total } : {}),
    ...(typeof untrusted === 'boolean' ? { untrusted } : {}),
  }
}

export function listGrants(io: CommandIo): Promise<CommandResult> {
  return withPeople(io, async ({ approvals }) => {
    const grants = (await approvals.grants(io.pick('tenant'))).map(wireGrant)
    return printList(io, grants, {
      columns: grantColumns,
      wire: (grant) => grant,
      none: 'There are no standing approvals.',
    })
  })
}

export function revokeGrant(io: CommandIo): Promise<CommandResult> {
  return withPerson(io, async ({ credential, people: { approvals } }) => {
    const [id = ''] = io.words
    const reason = io.option('reason')?.trim() ?? ''
    if (reason === '') return misuse('Say why: --reason TEXT. It is recorded.')
    const { revoked } = await approvals.revoke(id, { credential, reason })
    const wire = { id, revoked_by: revoked?.by ?? null, revoked_at: revoked === undefined ? null : toIso(revoked.at) }
    return printResult(io, wire, `Revoked: ${id}, by ${lineText(revoked?.by ?? '')}. No further call runs on it.`)
  })
}

function wireGrant(grant: GrantView) {
  const { id, tenant, tool, user, expiresAt, approval, revoked, used } = grant
  const limits = approval.content?.limits
  const limit = (name: string) => (isObject(limits) ? (limits[name] ?? null) : null)
  const status = revoked !== undefined ? 'revoked' : isInForce(grant, systemClock.now()) ? 'in_force' : 'over'
  return {
    id,
    tenant,
    tool,
    user,
    status,
    expires_at: toIso(expiresAt),
    count: limit('count'),
    total: limit('total_amount'),
    used_count: used.count,
    used_total: amountText(used.totalMillionths),
    given_by: approval.decisions.map(({ by }) => by),
    revoked_by: revoked?.by ?? null,
    content: approval.content ?? null,
  }
}

const grantColumns: readonly Column<ReturnType<typeof wireGrant>>[] = [
  { title: 'grant', text: ({ id }) => id },
  { title: 'tenant', text: ({ tenant }) => tenant },
  { title: 'tool', text: ({ tool }) => tool },
  { title: 'user', text: ({ user }) => user },
  { title: 'status', text: ({ status }) => status },
  { title: 'calls', text: ({ count, used_count: used }) => `${used}/${count}` },
  { title: 'moved', text: ({ total, used_total: used }) => (total === null ? '-' : `${used}/${total}`) },
  { title: 'until', text: ({ expires_at: end }) => end },
]
