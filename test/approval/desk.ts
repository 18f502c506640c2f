// A desk that pays: one tool that two people have to agree to, its ledger within reach of an attacker who edits rows, and time that passes when
// told to. Every attack is tried at it.

import type { Approval } from '../../src/contract/approval/approval.ts'
import type { StandingGrant } from '../../src/contract/approval/standing-grant.ts'
import {
  type Answer,
  type CallContext,
  type Clock,
  defineTool,
  type EpochMs,
  type JsonObject,
  openProviso,
  type Proviso,
} from '../../src/index.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { Engine } from '../ledger/suite.ts'
import { approveAs, keyOf, people } from '../people.ts'

const pay = (executed: JsonObject[], version: string, contract: { readonly description: string }) =>
  defineTool({
    name: 'pay_v1',
    ...contract,
    version,
    effect: 'HIGH_RISK_EXTERNAL',
    input: {
      type: 'object',
      properties: {
        to: { type: 'string', maxLength: 200 },
        amount: { type: 'number', minimum: -1_000_000_000, maximum: 1_000_000 },
        currency: { enum: ['EUR', 'USD'] },
        approved: { type: 'boolean' },
      },
      required: ['to', 'amount', 'currency'],
      additionalProperties: false,
    },
    approval: { pattern: 'dual_control', ttlMs: 600_000 },
    consequence: 'Pays {amount} {currency} to {to}',
    trusted: true,
    execute(args) {
      executed.push(args)
      return { paid: true }
    },
    verify: () => ({ status: 'verified' }),
  })

export interface PayDesk {
  readonly proviso: Proviso
  readonly ledger: Ledger
  readonly executed: readonly JsonObject[]
  call(args?: JsonObject, context?: CallContext, callId?: string): Promise<Answer>
  /** Asks, and has people approve. */
  approved(...names: string[]): Promise<Answer>
  /** What every later reading of an approval gives, in place of what the ledger holds. */
  tamper(change: (approval: Approval) => Approval): void
  /** Happens between the last gate and the admission. */
  beforeAdmission(act: () => Promise<unknown>): void
  advance(ms: number): Promise<void>
  /** The same desk, with another version of its tool. */
  upgraded(version: string, description?: string): Promise<Proviso>
}

export const payment: JsonObject = { to: 'acme-supplies', amount: 120, currency: 'EUR' }
export const where: CallContext = { tenant: 'acme', user: 'ann', agent: 'payer', run: 'run-1' }

/** What an engine is changes as its time passes, so each use asks anew. */
const changed = <T extends object>(whole: () => T, part: Partial<T>): T =>
  new Proxy({} as T, { get: (_, name) => Reflect.get(part, name) ?? Reflect.get(whole(), name) })

export async function openPayDesk({ ledger: engine, advance }: Engine, clock: Clock): Promise<PayDesk> {
  const executed: JsonObject[] = []
  let change: ((approval: Approval) => Approval) | undefined
  let act: (() => Promise<unknown>) | undefined
  const seen = (approval: Approval | undefined) =>
    approval === undefined || change === undefined ? approval : change(approval)
  const approvals = changed<Ledger['approvals']>(() => engine.approvals, {
    find: async (subject, run) => seen(await engine.approvals.find(subject, run)),
    get: async (id, tenant) => seen(await engine.approvals.get(id, tenant)),
    grants: async (query) =>
      (await engine.approvals.grants(query)).map(
        (grant): StandingGrant => ({ ...grant, approval: seen(grant.approval) ?? grant.approval }),
      ),
  })
  const operations = changed<Ledger['operations']>(() => engine.operations, {
    async admit(request) {
      await act?.()
      return engine.operations.admit(request)
    },
  })
  const ledger = changed<Ledger>(() => engine, { approvals, operations })
  const open = (version: string, description = 'Pays a supplier.') =>
    openProviso({
      ledger,
      tools: [pay(executed, version, { description })],
      identity: people,
      clock,
      sweepMs: 2_000_000_000,
    })
  const proviso = await open('1.0.0')
  const call: PayDesk['call'] = (args = payment, context = where, callId = 'c1') =>
    proviso.call({ tool: 'pay_v1', arguments: args, callId }, context)
  return {
    proviso,
    ledger: engine,
    executed,
    call,
    async approved(...names) {
      const asked = await call()
      for (const name of names) await approveAs(proviso, asked.approval?.id ?? '', name)
      return asked
    },
    tamper(changed) {
      change = changed
    },
    beforeAdmission(happens) {
      act = happens
    },
    advance,
    upgraded: open,
  }
}

export interface GrantChange {
  readonly fields?: Readonly<Record<string, JsonObject>>
  readonly count?: number
  readonly totalAmount?: number
  readonly principal?: string
  readonly agent?: string
  readonly untrusted?: boolean
  readonly expiresAt?: EpochMs
}

/** A standing approval for small payments, given by two others. */
export async function giveGrant({ proviso }: PayDesk, now: EpochMs, change: GrantChange = {}): Promise<string> {
  const asked = await proviso.approvals.grant(
    {
      tool: 'pay_v1',
      principal: 'ann',
      agent: 'payer',
      fields: {
        '/to': { const: 'acme-supplies' },
        '/amount': { min: 1, max: 200 },
        '/currency': { const: 'EUR' },
        '/approved': { absent: true },
      },
      count: 2,
      expiresAt: (now + 86_400_000) as EpochMs,
      ...change,
    },
    { credential: await keyOf('dora', 'acme', ['operator']) },
  )
  for (const name of ['bob', 'cleo']) await approveAs(proviso, asked.id, name)
  return asked.id
}
