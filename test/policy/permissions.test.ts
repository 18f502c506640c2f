// Permission rules through the whole pipeline: who said what, and what it came to.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadPermissions, type PermissionRule, type Permissions } from '../../src/index.ts'
import { memory, postgres } from '../../src/ledger/index.ts'
import { epochMs, manualClock } from '../../src/public/testing.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { keyOf } from '../people.ts'
import { classOf, context, counted, open, order, reasonOf } from '../pipeline/bench-desk.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
}, 60_000)
afterAll(() => databases.end(), 60_000)

const opened = (permissions: Permissions, effect: Parameters<typeof counted>[0] = 'LOW_RISK_INTERNAL') =>
  open(counted(effect).source, { permissions })

describe('permission rules', () => {
  it('are heard in order, decide by one precedence, and are all on record [permission-rules] [any-deny-wins] [TC-394, EP-11, EP-12, EP-59]', async () => {
    const proviso = await opened({
      organisation: [{ id: 'all', says: 'allow', message: 'Fine.' }],
      project: [{ id: 'look', says: 'ask', message: 'Look first.', approval: { roles: ['lead'], quorum: 2 } }],
      user: [{ id: 'never', says: 'deny', message: 'Not for me.', expires: '2999-01-01T00:00:00Z', users: ['ann'] }],
      run: [{ id: 'noted', says: 'passthrough' }],
    })
    const answer = await proviso.call(order('c1'), context)
    expect([classOf(answer), reasonOf(answer), answer.feedback?.field_errors[0]?.message]).toEqual([
      'PERMISSION_DENIED',
      'rule_denied',
      'Not for me. (rule permission/user/never)',
    ])
    const facts = await proviso.calls.facts(answer.observation.tool_identity.call_id)
    expect(facts.find(({ phase }) => phase === 'permission')?.evidence).toMatchObject({
      voices: [
        { source: 'permission/organisation', rule: 'all', says: 'allow', message: 'Fine.' },
        { source: 'permission/project', rule: 'look', says: 'ask', roles: ['lead'], quorum: 2 },
        { source: 'permission/user', rule: 'never', says: 'deny', expires: '2999-01-01T00:00:00Z' },
        { source: 'permission/run', rule: 'noted', says: 'passthrough' },
      ],
    })
    expect(classOf(await proviso.call(order('c2'), { ...context, user: 'bob' }))).toBe('CONFIRMATION_MISSING')
  })

  it('speak only where everything they name fits [permission-rules] [TC-088, TC-128, EP-59]', async () => {
    const rows: readonly (readonly [Partial<PermissionRule>, boolean])[] = [
      [{}, true],
      [{ tools: ['order_*'] }, true],
      [{ tools: ['order'] }, false],
      [{ namespaces: ['billing'] }, false],
      [{ namespaces: [''] }, true],
      [{ effects: ['LOW_RISK_INTERNAL'] }, true],
      [{ effects: ['READ_ONLY'] }, false],
      [{ roles: ['clerk', 'boss'] }, true],
      [{ roles: ['boss'] }, false],
      [{ agents: ['helper'] }, true],
      [{ agents: ['other'] }, false],
      [{ scopes: ['a:write'] }, true],
      [{ scopes: ['b:write'] }, false],
      [{ tenants: ['acme'], users: ['ann'] }, true],
      [{ tenants: ['globex'], users: ['ann'] }, false],
      [{ when: 'has(args.amount) && args.amount > 10' }, true],
      [{ when: 'has(args.amount) && args.amount > 10', roles: ['boss'] }, false],
      [{ when: 'has(args.amount) && args.amount > 99' }, false],
      [{ when: 'has(context.user) && context.user == "ann"' }, true],
      [{ expires: '2000-01-01T00:00:00Z' }, false],
    ]
    const who = { ...context, roles: ['clerk'], scopes: ['a:write'], agent: 'helper' }
    for (const [rule, speaks] of rows) {
      const proviso = await opened({ run: [{ id: 'r', says: 'deny', ...rule }] })
      const answer = await proviso.call(order('c1', { order_id: 'o', amount: 50 }), who)
      expect([rule, classOf(answer)]).toEqual([rule, speaks ? 'PERMISSION_DENIED' : 'SUCCESS'])
    }
  })

  it('end when they say [permission-rules]', async () => {
    const clock = manualClock(epochMs(Date.UTC(2026, 0, 1)))
    const permissions = { run: [{ id: 'night', says: 'deny', expires: '2026-01-01T00:00:01Z' }] } as const
    const proviso = await open(counted('READ_ONLY').source, { permissions, clock })
    expect(classOf(await proviso.call(order('c1'), context))).toBe('PERMISSION_DENIED')
    clock.advance(1_000)
    expect(classOf(await proviso.call(order('c2'), context))).toBe('SUCCESS')
  })

  it('deny where their condition cannot be judged, also where they would allow [permission-rules]', async () => {
    const when = 'has(args.amount) && 100 / (args.amount - 7) > 1'
    const proviso = await opened({ organisation: [{ id: 'odd', says: 'allow', when }] })
    expect(reasonOf(await proviso.call(order('c1', { order_id: 'o', amount: 7 }), context))).toBe('rule_denied')
    expect(classOf(await proviso.call(order('c2', { order_id: 'o', amount: 8 }), context))).toBe('SUCCESS')
  })

  it('are refused when opened where they are no rules, or cannot be judged for a tool [permission-rules]', async () => {
    const bad: readonly (readonly [unknown, RegExp])[] = [
      [{ organization: [] }, /permissions\/organization/],
      [{ run: [{ id: 'r', says: 'deny', tool: ['order_v1'] }] }, /permissions\/run\/0\/tool/],
      [{ run: [{ id: 'r', says: 'perhaps' }] }, /permissions\/run\/0\/says/],
      [{ run: [{ id: 'r', says: 'deny', roles: [] }] }, /permissions\/run\/0\/roles/],
      [{ run: [{ id: 'r', says: 'deny', expires: 'soon' }] }, /permissions\/run\/0\/expires/],
      [{ run: [{ id: 'r', says: 'allow', approval: { quorum: 2 } }] }, /Only a rule that asks/],
      [
        {
          run: [
            { id: 'r', says: 'deny' },
            { id: 'r', says: 'ask' },
          ],
        },
        /Two rules are called r/,
      ],
      [
        { run: [{ id: 'r', says: 'deny', when: 'args.amont > 1' }] },
        /order_v1 is refused. permission\/run\/r: .*amont/,
      ],
      [{ run: [{ id: 'r', says: 'deny', when: 'args.amont > 1', tools: ['other'] }] }, /^$/],
    ]
    for (const [permissions, message] of bad) {
      const outcome = await opened(permissions as Permissions).then(
        () => '',
        (error: Error) => error.message,
      )
      expect(outcome).toMatch(message)
    }
  })

  it('come from a file as well', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proviso-permissions-'))
    const file = join(folder, 'permissions.yaml')
    await writeFile(file, 'organisation:\n  - id: no-orders\n    says: deny\n    tools: [order_v1]\n')
    const proviso = await opened(await loadPermissions(file))
    expect(reasonOf(await proviso.call(order('c1'), context))).toBe('rule_denied')
    await writeFile(file, 'organisation:\n  - id: no-orders\n    says: never\n')
    await expect(loadPermissions(file)).rejects.toThrow('permissions.yaml#/organisation/0/says')
  })
})

describe('denials', () => {
  const deny: Permissions = { organisation: [{ id: 'no', says: 'deny', message: 'No.' }] }

  it('are put before a person once where a tool is grave [denials-escalate] [TC-098]', async () => {
    const proviso = await opened(deny, 'HIGH_RISK_EXTERNAL')
    for (const id of ['c1', 'c2']) await proviso.call(order(id), context)
    expect(await proviso.escalations.list()).toMatchObject([
      {
        kind: 'suspicious_denial',
        message: 'order_v1 (HIGH_RISK_EXTERNAL) was denied to "ann" in the run "run-1" (rule_denied).',
      },
    ])
  })

  it('are put before a person once where a run tries the same tool again and again [denials-escalate] [TC-088]', async () => {
    const proviso = await opened(deny, 'READ_ONLY')
    for (const id of ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']) await proviso.call(order(id), context)
    expect(await proviso.escalations.list()).toMatchObject([
      {
        kind: 'suspicious_denial',
        message: 'order_v1 (READ_ONLY) was denied 3 times in the run "run-1", the last time to "ann" (rule_denied).',
      },
    ])
    await proviso.call(order('d1'), { ...context, run: 'run-2' })
    expect(await proviso.escalations.list()).toHaveLength(1)
  })

  it('are answered by a person with a credential [denials-escalate]', async () => {
    const url = await databases.fresh()
    for (const ledger of [memory(), await postgres(url, { connections: 2 })]) {
      const proviso = await open(counted('HIGH_RISK_EXTERNAL').source, { permissions: deny, ledger })
      const answer = await proviso.call(order('c1'), context)
      const [question] = await proviso.escalations.list()
      const credential = await keyOf('olga', 'acme')
      const why = 'A slip; the agent was told.'
      const id = question?.callId ?? ''
      expect(id).toBe(answer.observation.tool_identity.call_id)
      expect(await proviso.calls.resolve(id, { effect: 'none', why, credential })).toMatchObject({ kind: 'answered' })
      expect(await proviso.escalations.list()).toEqual([])
      expect((await proviso.calls.facts(id)).at(-1)?.verdict).toMatchObject({ kind: 'resolved', by: 'olga', why })
      await proviso.close()
    }
  })

  it('count missing scopes and policies, and nothing of unknown tenants [denials-escalate]', async () => {
    const tool = counted('HIGH_RISK_EXTERNAL', { scopes: ['orders:write'] })
    const proviso = await open(tool.source, { tenants: ['acme'] })
    await proviso.call(order('c1'), { ...context, tenant: 'evil' })
    expect(await proviso.escalations.list()).toEqual([])
    await proviso.call(order('c1'), context)
    expect(await proviso.escalations.list()).toHaveLength(1)
  })
})
