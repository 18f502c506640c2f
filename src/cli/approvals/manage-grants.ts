// Standing approvals at the keyboard: asked for from a file, listed with what is left, and revoked.
import type { GrantInput, GrantView } from '../../approval/grants.ts'
import type { People } from '../../approval/people.ts'
import { Fault } from '../../contract/fault.ts'
import { systemClock, toIso } from '../../json/clock.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { isInForce } from '../../ledger/rules/permit.ts'
import { amountText } from '../../policy/budgets/money.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import { loadTools } from '../call/load-tools.ts'
import { done, flag, type Given, misuse, type Outcome, text, texts } from '../command.ts'
import { ownKey } from '../keys/own-key.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { lineText } from '../plain-text.ts'
import { readJsonFile } from '../subschema/read-json-file.ts'
import type { Terminal } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import { wireApproval } from './approval-line.ts'
import { refused } from './with-people.ts'

const members = ['tool', 'principal', 'agent', 'fields', 'count', 'total_amount', 'expires_at', 'untrusted']

/** The tool has to be known: what is granted is proven narrower than what it takes. */
export async function askGrant(file: string, given: Given, terminal: Terminal): Promise<Outcome> {
  const own = await ownKey(given, terminal)
  if (!own.ok) return misuse(own.message)
  const reading = await readJsonFile(file, terminal, 2 ** 20)
  if (!reading.ok) return misuse(reading.message)
  const input = grantInput(reading.value)
  if (typeof input === 'string') return misuse(input)
  const paths = texts(given, 'tools')
  const { tools } = await loadTools(paths.length === 0 ? ['tools'] : paths, terminal.folder, { durable: true })
  const opened = await openLedger(given, terminal, { make: true })
  if (!opened.ok) return opened.outcome
  const proviso = await openProviso({ ledger: opened.ledger, tools, sweepMs: 2 ** 31 - 1 })
  try {
    const asked = await proviso.approvals.grant(input, { credential: own.key })
    if (flag(given, 'json')) terminal.out(JSON.stringify(wireApproval(asked), null, 2))
    else {
      terminal.out(`Asked: ${asked.id}`)
      terminal.note(`Others decide on it: proviso approvals show ${asked.id}`)
    }
    return done(true)
  } catch (error) {
    if (error instanceof Fault && error.code === 'unknown_credential') return refused(error, given, terminal)
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
    // Every rule is read, and refused by its place, where the grant is made.
    fields: fields as Readonly<Record<string, JsonObject>>,
    count,
    expiresAt: end,
    ...(typeof agent === 'string' ? { agent } : {}),
    ...(typeof total === 'number' ? { totalAmount: total } : {}),
    ...(typeof untrusted === 'boolean' ? { untrusted } : {}),
  }
}

export async function listGrants({ approvals }: People, given: Given, terminal: Terminal): Promise<Outcome> {
  const tenant = text(given, 'tenant')
  const grants = (await approvals.grants(tenant === undefined ? {} : { tenant })).map(wireGrant)
  if (flag(given, 'json')) {
    terminal.out(JSON.stringify(grants, null, 2))
    return done(true)
  }
  if (grants.length === 0) terminal.note('There are no standing approvals.')
  const { dim } = terminal.colours
  const rows = grants.map(
    ({ id, tenant: owner, tool, user, status, count, total, used_count, used_total, expires_at: end }) =>
      [
        id,
        owner,
        tool,
        user,
        status,
        `${used_count}/${count}`,
        total === null ? '-' : `${used_total}/${total}`,
        end,
      ].map((cell) => lineText(String(cell))),
  )
  if (rows.length > 0)
    terminal.out(
      textTable([['grant', 'tenant', 'tool', 'user', 'status', 'calls', 'moved', 'until'].map(dim), ...rows]),
    )
  return done(true)
}

export async function revokeGrant(people: People, id: string, given: Given, terminal: Terminal): Promise<Outcome> {
  const own = await ownKey(given, terminal)
  if (!own.ok) return misuse(own.message)
  const reason = text(given, 'reason')?.trim() ?? ''
  if (reason === '') return misuse('Say why: --reason TEXT. It is recorded.')
  const { revoked } = await people.approvals.revoke(id, { credential: own.key, reason })
  const at = revoked === undefined ? null : toIso(revoked.at)
  if (flag(given, 'json'))
    terminal.out(JSON.stringify({ id, revoked_by: revoked?.by ?? null, revoked_at: at }, null, 2))
  else terminal.out(`Revoked: ${id}, by ${lineText(revoked?.by ?? '')}. No further call runs on it.`)
  return done(true)
}

function wireGrant(grant: GrantView): JsonObject {
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
