// The specification's table of effect classes, pair by pair: what each class demands, and that the product holds to it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { EffectClass, Proviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/index.ts'
import { effects } from '../../src/public/tables.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { approveAs } from '../people.ts'
import { classOf, context, counted, isReplay, open, order, reasonOf } from '../pipeline/bench-desk.ts'

let databases: Databases
let url: string
const opened: Proviso[] = []
beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.fresh()
}, 60_000)
afterEach(() => Promise.all(opened.splice(0).map((proviso) => proviso.close())))
afterAll(() => databases.end(), 60_000)

type Extras = Parameters<typeof counted>[1]

const compensated = { compensation: 'undo_v1' } as const

/** A tool of the class on a ledger that it may have; what it does is verified where it has to be. */
async function desk(effect: EffectClass, extras: Extras = {}, options: Parameters<typeof open>[1] = {}) {
  const verified =
    effects[effect].verification === 'required' ? { verify: () => ({ status: 'verified' }) as const } : {}
  const tool = counted(effect, { ...verified, ...(effect === 'CRITICAL_MUTATION' ? compensated : {}), ...extras })
  const ledger = await postgres(url, { connections: 2 })
  const proviso = await open(tool.source, { ledger, budgets: { critical: 10 }, ...options })
  opened.push(proviso)
  return {
    tool,
    proviso,
    call: (id: string, args?: object, where = {}) =>
      proviso.call(order(id, args), { ...context, run: `${effect}-${id.split('.')[0]}`, ...where }),
  }
}

/** Calls until the people whom the class demands have agreed. Gives how many had to. */
async function agreed(proviso: Proviso, propose: () => ReturnType<Proviso['call']>) {
  let answer = await propose()
  let people = 0
  for (const who of ['bea', 'cleo', 'dora']) {
    if (answer.effect !== 'pending' || answer.approval === undefined) break
    people++
    await approveAs(proviso, answer.approval.id, who)
    answer = await propose()
  }
  return { answer, people }
}

interface Obligations {
  /** Gates that must judge before anything runs: each is given something to refuse. */
  readonly refuses: readonly (keyof typeof refusals)[]
  /** Whether one operation takes effect once, however often it is asked for. */
  readonly idempotent: boolean
  readonly idempotency: 'optional' | 'recommended' | 'required'
  /** How many people agree to a plain call. */
  readonly people: number
  /** Whether a run that saw untrusted content has to ask. */
  readonly asksUntrusted: boolean
  readonly verified: boolean
  readonly audited: boolean
  readonly durable: boolean
}

interface Refusal {
  readonly args?: unknown
  readonly extras?: Extras
  readonly options?: Parameters<typeof open>[1]
  /** How often the tool is called before. */
  readonly used?: number
  readonly class: string
}

/** For each gate, a tool and a call that it must refuse, and the class it does so with. */
const refusals = {
  parse: { args: '{"order_id":', class: 'SYNTACTIC_PARSE_FAIL' },
  schema: { args: {}, class: 'STRUCTURAL_VIOLATION' },
  type: { args: { order_id: 1 }, class: 'TYPE_MISMATCH' },
  constraints: { args: { order_id: 'o', amount: 5_000 }, class: 'OUT_OF_BOUNDS' },
  semantics: {
    extras: { rules: [{ id: 'no', when: 'args.order_id != "bad"', message: 'No.' }] },
    args: { order_id: 'bad' },
    class: 'SEMANTIC_INVALIDITY',
  },
  sandbox: {
    extras: { preflight: () => ({ reason: 'sandbox_violation', message: 'Outside.' }) as const },
    class: 'POLICY_VIOLATION',
  },
  permission: { extras: { scopes: ['orders:write'] }, class: 'PERMISSION_DENIED' },
  policy: {
    options: { policies: [{ id: 'no', judge: () => ({ says: 'deny', message: 'No.' }) as const }] },
    class: 'POLICY_VIOLATION',
  },
  state: {
    extras: { state: { read: () => null } },
    class: 'STALE_STATE',
  },
  rate: { extras: { rate: { windowSec: 86_400, maxRequests: 1 } }, used: 1, class: 'RATE_LIMITED' },
  budget: {
    options: { budgets: { read: 0, write: 0, external: 0, critical: 0 } },
    class: 'BUDGET_EXHAUSTED',
  },
} as const satisfies Record<string, Refusal>

const argumentGates = ['parse', 'schema', 'type'] as const
const allGates = [
  ...argumentGates,
  'constraints',
  'semantics',
  'permission',
  'policy',
  'state',
  'budget',
  'rate',
] as const

const table: Record<EffectClass, Obligations> = {
  READ_ONLY: {
    refuses: [...argumentGates, 'permission', 'policy', 'budget', 'rate'],
    idempotent: false,
    idempotency: 'optional',
    people: 0,
    asksUntrusted: false,
    verified: false,
    audited: false,
    durable: false,
  },
  EPHEMERAL_WRITE: {
    refuses: [...argumentGates, 'permission', 'sandbox', 'budget'],
    idempotent: true,
    idempotency: 'recommended',
    people: 0,
    asksUntrusted: false,
    verified: false,
    audited: false,
    durable: false,
  },
  LOW_RISK_INTERNAL: {
    refuses: allGates,
    idempotent: true,
    idempotency: 'required',
    people: 0,
    asksUntrusted: false,
    verified: false,
    audited: false,
    durable: false,
  },
  MEDIUM_RISK_WRITE: {
    refuses: allGates,
    idempotent: true,
    idempotency: 'required',
    people: 0,
    asksUntrusted: true,
    verified: false,
    audited: true,
    durable: false,
  },
  HIGH_RISK_EXTERNAL: {
    refuses: allGates,
    idempotent: true,
    idempotency: 'required',
    people: 1,
    asksUntrusted: true,
    verified: true,
    audited: true,
    durable: false,
  },
  CRITICAL_MUTATION: {
    refuses: allGates,
    idempotent: true,
    idempotency: 'required',
    people: 2,
    asksUntrusted: true,
    verified: true,
    audited: true,
    durable: true,
  },
}

const rows = Object.entries(table) as [EffectClass, Obligations][]

describe.each(rows)('%s', (effect, obligations) => {
  it.each(obligations.refuses.map((gate) => [gate]))(
    'is refused by %s [class-table] [TC-001, TC-077, TC-080, TC-082, TC-098, TC-115, TC-116, TC-119, TC-122, TC-125, TC-147, TC-408, DR-47]',
    async (gate) => {
      const { args = { order_id: gate }, extras, options, used = 0, class: refused }: Refusal = refusals[gate]
      const { tool, proviso } = await desk(effect, extras, options)
      const where = { ...context, tenant: `${effect}-${gate}` }
      for (let number = 0; number < used; number++)
        await agreed(proviso, () => proviso.call(order(`before-${number}`, { order_id: 'before' }), where))
      const { answer } = await agreed(proviso, () => proviso.call(order(gate, args), where))
      expect([classOf(answer), answer.effect, tool.seen.length]).toEqual([refused, 'none', used])
    },
  )

  it(`takes effect ${obligations.idempotent ? 'once' : 'as often as it is asked for'} [class-table] [TC-117, TC-410]`, async () => {
    const { tool, proviso, call } = await desk(effect)
    const propose = () => call('once', { order_id: 'once' })
    const first = await agreed(proviso, propose)
    const second = await propose()
    expect([classOf(first.answer), classOf(second)]).toEqual(['SUCCESS', 'SUCCESS'])
    expect([tool.seen.length, isReplay(second)]).toEqual(obligations.idempotent ? [1, true] : [2, false])
    expect(effects[effect].idempotency).toBe(obligations.idempotency)
  })

  it(`is agreed to by ${obligations.people} [class-table] [TC-115, TC-118, TC-121, TC-124, TC-132, TC-133, TC-138, TC-218, TC-289, TC-410]`, async () => {
    const { proviso, call } = await desk(effect)
    const { answer, people } = await agreed(proviso, () => call('people', { order_id: 'people' }))
    expect([classOf(answer), people]).toEqual(['SUCCESS', obligations.people])
  })

  it(`${obligations.asksUntrusted ? 'asks' : 'does not ask'} in a run that saw untrusted content [class-table] [TC-128]`, async () => {
    const { call } = await desk(effect)
    const answer = await call('tainted', { order_id: 'tainted' }, { untrusted: true })
    expect(classOf(answer)).toBe(obligations.asksUntrusted ? 'CONFIRMATION_MISSING' : 'SUCCESS')
  })

  it('asks where its contract or a policy says so [class-table] [TC-124]', async () => {
    const declared = await desk(effect, { confirm: true })
    expect(classOf(await declared.call('declared', { order_id: 'd' }))).toBe('CONFIRMATION_MISSING')
    const policies = [{ id: 'look', judge: () => ({ says: 'ask', message: 'Look.' }) as const }]
    const asked = await desk(effect, {}, { policies })
    expect(classOf(await asked.call('asked', { order_id: 'a' }))).toBe('CONFIRMATION_MISSING')
  })

  it(`is read back ${obligations.verified ? 'always' : 'where a verifier is bound'} [class-table] [TC-410]`, async () => {
    const failing = { verify: () => ({ status: 'failed', message: 'It is not there.' }) as const }
    const { proviso, call } = await desk(effect, failing)
    const { answer } = await agreed(proviso, () => call('verify', { order_id: 'verify' }))
    expect(classOf(answer)).toBe('COMPENSATION_REQUIRED')
    const { contract } = counted(effect).source
    expect(contract.transactional.post_action_verification_required).toBe(obligations.verified)
    if (!obligations.verified) return
    const weak = { ...contract.transactional, post_action_verification_required: false }
    await refusedAtRegistration(effect, { contract: { ...contract, transactional: weak } }, 'verification-too-weak')
  })

  it(`is ${obligations.audited ? '' : 'not necessarily '}audited, and traced in every phase [class-table] [TC-122, TC-125, TC-129, TC-136, TC-410]`, async () => {
    const { contract } = counted(effect).source
    expect(contract.observability.audit_required).toBe(obligations.audited)
    const { proviso, call } = await desk(effect)
    const { answer } = await agreed(proviso, () => call('trace', { order_id: 'trace' }))
    const facts = await until(() => proviso.calls.facts(answer.observation.tool_identity.call_id))
    const last = facts.filter(({ pass }) => pass === facts.at(-1)?.pass)
    expect(last.map(({ phase }) => phase)).toEqual(expect.arrayContaining([...effects[effect].gates]))
    if (!obligations.audited) return
    const observability = { ...contract.observability, audit_required: false }
    await refusedAtRegistration(effect, { contract: { ...contract, observability } }, 'audit-too-weak')
  })

  it(`${obligations.durable ? 'needs' : 'does not need'} a ledger that survives [class-table] [TC-411, TC-412]`, async () => {
    const outcome = await open(counted(effect).source).then(
      () => 'opened',
      (error: Error) => error.message,
    )
    if (obligations.durable) expect(outcome).toContain('critical-on-ephemeral-ledger')
    else expect(outcome).toBe('opened')
  })

  it('cannot be declared weaker than its class [class-table] [TC-115, TC-125, TC-129, TC-132, TC-138, TC-155, TC-410]', async () => {
    const { contract, binding } = counted(effect).source
    const { transactional, idempotency } = contract
    if (obligations.idempotency === 'required')
      await refusedAtRegistration(
        effect,
        { contract: { ...contract, idempotency: { ...idempotency, required: false } } },
        'idempotency-too-weak',
      )
    if (obligations.people === 0) return
    const unasked = { ...transactional, confirmation_required: false }
    await refusedAtRegistration(effect, { contract: { ...contract, transactional: unasked } }, 'confirmation-too-weak')
    const quorum = obligations.people - 1
    const alone = { ...binding, approval: { ...binding.approval, quorum } }
    await refusedAtRegistration(effect, { binding: alone }, 'quorum-too-small')
  })
})

describe('the critical budget', () => {
  it('is zero unless the host has set it [class-table] [TC-153]', async () => {
    const { tool, proviso, call } = await desk('CRITICAL_MUTATION', {}, { budgets: {} })
    const { answer } = await agreed(proviso, () => call('broke', { order_id: 'broke' }))
    expect([classOf(answer), reasonOf(answer), tool.seen.length]).toEqual(['BUDGET_EXHAUSTED', 'budget_exhausted', 0])
  })
})

async function refusedAtRegistration(
  effect: EffectClass,
  changed: Partial<ReturnType<typeof counted>['source']>,
  contradiction: string,
): Promise<void> {
  await expect(open({ ...counted(effect).source, ...changed })).rejects.toThrow(contradiction)
}

/** The facts of a read may be written a moment after its answer. */
async function until<T extends { readonly length: number }>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found.length > 0) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}
