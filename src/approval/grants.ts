// Standing approvals from the people's side: asked for with a credential, given by others like any approval, listed with what is left, and
// taken back by any person of the tenant.

import type { ApprovalRequest, Question } from '../contract/approval/approval.ts'
import type { Identified } from '../contract/approval/identity.ts'
import type { StandingGrant } from '../contract/approval/standing-grant.ts'
import { Fault } from '../contract/fault.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { type Clock, type EpochMs, toIso } from '../json/clock.ts'
import { copyParsed } from '../json/copy.ts'
import { hashJson } from '../json/hash.ts'
import { type Entropy, uuidv7 } from '../json/id.ts'
import { touches } from '../json/mask.ts'
import { tokensOf } from '../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { GrantQuery } from '../ledger/ports/approvals.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import { currencyOf } from '../policy/budgets/money.ts'
import { type ApprovalView, viewOf } from './approval-desk.ts'
import { describeGrant, type GrantTerms } from './grant/describe-grant.ts'
import type { Grant, GrantProblem } from './grant/grant.ts'
import { grantCounters, millionths } from './grant/grant-claims.ts'
import { isAlwaysGiven } from './grant/input-fields.ts'
import { proveNarrower } from './grant/prove-narrower.ts'
import { readGrant, writeGrant } from './grant/read-grant.ts'
import { hashedQuestion } from './question.ts'
import { ownRequirement } from './requirement-for.ts'
import { type KnownIdentity, type VerifyPerson, whoIs } from './verify-person.ts'

/** A set of calls, in the closed flat grammar: every field is `{ const }`, `{ enum }`, `{ min, max }`, `{ any: true }` or `{ absent: true }`. */
export interface GrantInput {
  readonly tool: string
  /** The user whose calls are granted. */
  readonly principal: string
  /** The agent through which they come; without it only calls that name none. */
  readonly agent?: string
  /** By JSON Pointer. */
  readonly fields: Readonly<Record<string, JsonObject>>
  readonly count: number
  /** Where the tool moves an amount: how much in all, in the unit of the argument. */
  readonly totalAmount?: number
  /** An ISO instant, or milliseconds; within ninety days. */
  readonly expiresAt: string | EpochMs
  /** Also for runs that have read untrusted content. */
  readonly untrusted?: boolean
}

export interface GrantView extends StandingGrant {
  readonly used: { readonly count: number; readonly totalMillionths: number }
}

export interface Grants {
  /**
   * Asks for a standing approval: a packet that the full quorum of the tool's class decides on. Neither the person who asks nor the user who
   * would profit may vote.
   */
  grant(input: GrantInput, asker: { readonly credential: string }): Promise<ApprovalView>
  grants(query?: GrantQuery): Promise<readonly GrantView[]>
  revoke(id: string, revocation: { readonly credential: string; readonly reason: string }): Promise<StandingGrant>
}

export interface GrantsInput {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly entropy: Entropy
  readonly identity: KnownIdentity['identity']
  readonly tenants?: KnownIdentity['tenants']
  readonly verify: VerifyPerson
  readonly toolNamed: (name: string) => Tool | undefined
}

/** People are asked about a grant when they have time for it. */
const askMs = 86_400_000
const maxOpen = 100

export function createGrants({ verify, toolNamed, ...input }: GrantsInput): Grants {
  const { ledger, clock, entropy } = input
  return {
    async grant(wanted, { credential }) {
      const asker = await whoIs(input, credential)
      const tool = toolNamed(wanted.tool)
      if (tool === undefined)
        throw new Fault('bad_options', `There is no tool ${String(wanted.tool).slice(0, 64)} here.`)
      const now = clock.now()
      const grant = grantOf(wanted, asker.tenant, tool, now)
      const approval = await ledger.approvals.open(
        grantRequest(grant, tool, asker, { id: uuidv7(now, entropy), callId: uuidv7(now, entropy) }),
        maxOpen,
      )
      if (approval === undefined) throw new Fault('bad_options', `${maxOpen} requests of this user wait already.`)
      return viewOf(approval, clock.now())
    },
    async grants(query = {}) {
      const all = await ledger.approvals.grants(query)
      return Promise.all(
        all.map(async (grant) => {
          const { count, total } = grantCounters(grant.id)
          const [calls, moved] = await ledger.limits.balances(grant.tenant, [count, total])
          return { ...grant, used: { count: calls?.used ?? 0, totalMillionths: moved?.used ?? 0 } }
        }),
      )
    },
    async revoke(id, { credential, reason }) {
      if (typeof reason !== 'string' || reason.trim() === '')
        throw new Fault('bad_options', 'A revocation says why: { reason }.')
      const person = await verify(credential)
      const revoked = await ledger.approvals.revokeGrant(id, { by: person.user, reason }, person.tenant)
      if (revoked === undefined) throw new Fault('unknown_grant', `There is no standing approval ${id.slice(0, 64)}.`)
      return revoked
    },
  }
}

/** Throws with every problem by its pointer. */
function grantOf(input: GrantInput, tenant: string, tool: Tool, now: EpochMs): Grant {
  const { amount } = tool.binding
  const { principal, agent, fields, count, totalAmount, expiresAt, untrusted } = input
  const written = {
    tenant,
    tool: tool.contract.identity.name,
    contract_hash: tool.contractHash,
    principal: { user: principal, agent: agent ?? null },
    fields,
    ...(amount === undefined ? {} : { amount: amount.pointer }),
    limits: {
      count,
      ...(totalAmount === undefined ? {} : { total_amount: totalAmount }),
      expires_at: typeof expiresAt === 'number' ? toIso(expiresAt) : expiresAt,
    },
    untrusted_runs: untrusted ?? false,
  }
  const copy = copyParsed(written)
  if (!copy.ok || !isObject(copy.value)) throw refused([{ pointer: '', message: 'The grant is no plain data.' }])
  const reading = readGrant(copy.value, now)
  if (!reading.ok) throw refused(reading.problems)
  const { grant } = reading
  const currency = typeof amount?.currency === 'string' ? amount.currency : undefined
  const narrow = proveNarrower(grant, { input: tool.input.form, amount: amount?.pointer, currency })
  if (!narrow.ok) throw refused(narrow.problems)
  const shown = [...grant.fields].filter(([, { kind }]) => kind !== 'any' && kind !== 'absent')
  const secret = shown.find(([pointer]) => touches(tokensOf(pointer), tool.binding.sensitive))
  // The people who decide would have to see it, and so would all who read the packet.
  if (secret !== undefined)
    throw refused([
      { pointer: secret[0], message: 'It is sensitive, so its values cannot be granted, only any or none.' },
    ])
  const { limits } = grant
  if (limits.totalAmount !== undefined && millionths(limits.totalAmount) === undefined)
    throw refused([{ pointer: '/limits/total_amount', message: 'It cannot be counted exactly in millionths.' }])
  if (ownRequirement(tool).demands.some(({ decides }) => decides === 'requester'))
    throw refused([{ pointer: '/tool', message: 'The user consents to calls of this tool one by one.' }])
  return grant
}

function grantRequest(
  grant: Grant,
  tool: Tool,
  { tenant, user, agent }: Identified,
  { id, callId }: { readonly id: string; readonly callId: string },
): ApprovalRequest {
  const content = writeGrant(grant)
  const payloadHash = hashJson(content)
  const { identity, transactional } = tool.contract
  const policies = ['grant']
  const requirement = { ...ownRequirement(tool), ttlMs: askMs }
  const question: Question = {
    actionName: {
      tool: identity.name,
      version: identity.version,
      title: `Standing approval for calls of ${identity.name}`,
    },
    consequence: `${describeGrant(grant, termsOf(grant, tool)).lines.join('. ')}.`,
    arguments: Object.entries(content.fields as Readonly<Record<string, JsonValue>>).map(([pointer, value]) => ({
      pointer,
      value,
      origin: 'given',
    })),
    beforeState: null,
    afterState: null,
    fingerprint: payloadHash,
    riskClass: {
      class: transactional.side_effect_class,
      why: [{ source: 'grant', message: 'Calls of this set would run without a person being asked again.' }],
    },
    compensation: 'It can be revoked at any time; calls that ran until then stay as they are.',
    rejectionPath: 'No standing approval is given; people go on being asked for each call.',
    trace: callId.replaceAll('-', ''),
    callId,
    tenant,
    requester: { user, agent },
    run: undefined,
  }
  const ground = { payloadHash, contractHash: tool.contractHash, executorVersion: null, stateVersion: null }
  return {
    id: `grant_${id}`,
    kind: 'grant',
    callId,
    run: undefined,
    subject: { tenant, slotKey: `grant:${payloadHash}`, generation: 1, payloadHash },
    ...hashedQuestion(question, ground, requirement, policies),
    barred: [grant.user],
    content,
    resume: false,
    ttlMs: askMs,
    replaces: undefined,
    waiting: undefined,
  }
}

function termsOf(grant: Grant, { input, binding: { amount } }: Tool): GrantTerms {
  const { currency, decimals } = amount ?? {}
  const rule = typeof currency === 'string' ? grant.fields.get(currency) : undefined
  const named = typeof currency === 'string' ? rule?.kind === 'const' && rule.value : currency?.const
  return {
    isAlwaysGiven: (pointer) => isAlwaysGiven(pointer, input.form),
    currency: currencyOf(named),
    decimals,
  }
}

function refused(problems: readonly GrantProblem[]): Fault {
  const details = problems.map(({ pointer, message }) => `${pointer === '' ? 'the grant' : pointer}: ${message}`)
  return new Fault('bad_options', `This cannot be granted. ${details.join(' ')}`, { details })
}
