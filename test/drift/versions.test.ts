// Versions of one tool side by side, in one process and on memory; test/drift/versions-postgres.test.ts has two processes.
import { describe, expect, it, test } from 'vitest'
import type { CallContext, ProvisoOptions } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { manualClock } from '../../src/public/testing.ts'
import { approveAs } from '../people.ts'
import { classOf, open, reasonOf, warningsOf } from '../pipeline/bench-desk.ts'
import { ann, inRun, trial, versionOf } from './version-trial.ts'

const three = () => {
  const { ran, version } = trial()
  return { ran, tools: [version('1.0.0'), version('1.1.0'), version('2.0.0')] }
}

async function resolved(proviso: Awaited<ReturnType<typeof open>>, context: CallContext) {
  const answer = await proviso.call({ tool: 'order', arguments: { id: 'o-1' } }, context)
  const [fact] = await proviso.calls.facts(answer.observation.tool_identity.call_id)
  return fact?.evidence
}

describe('several versions of one tool', () => {
  it('are registered at once, and the highest active one is current [versions-side-by-side] [TC-029, TC-049]', async () => {
    const { version } = trial()
    const proviso = await open([version('1.0.0'), version('1.10.0'), version('1.9.0'), version('2.0.0-rc.1')])
    expect(await versionOf(proviso, inRun('run-1'))).toBe('1.10.0')
    expect(await proviso.versions.list()).toMatchObject([
      {
        tool: 'order',
        current: '1.10.0',
        versions: [
          { version: '1.0.0', role: 'pinned', stage: 'active' },
          { version: '1.9.0', role: 'pinned' },
          { version: '1.10.0', role: 'current' },
          { version: '2.0.0-rc.1', role: 'pinned' },
        ],
      },
    ])
    await expect(open([version('1.0.0'), version('1.0.0')])).rejects.toThrow('Two tools answer to order 1.0.0')
  })

  it('show a run the schema of the version it gets, and say in the facts how it came by it [facts-carry-the-version] [TC-054, TC-074]', async () => {
    const { tools } = three()
    const proviso = await open(tools, {
      versions: { order: { current: '1.0.0', canary: { version: '2.0.0', share: 1, tenants: ['acme'] } } },
    })
    const shown = (await proviso.surface(inRun('run-1'))).entries.get('order')?.tool
    expect(Object.keys(shown?.contract.affordance.input_schema.properties as object)).toEqual(['id', 'note'])
    expect(await resolved(proviso, inRun('run-1'))).toEqual({
      version: '2.0.0',
      contract: shown?.contractHash,
      route: 'canary',
    })
    expect(await resolved(proviso, inRun('run-1', { tenant: 'globex' }))).toMatchObject({
      version: '1.0.0',
      route: 'current',
    })
  })
})

describe('routing', () => {
  test.each([
    [{ current: '1.0.0' }, inRun('run-1'), '1.0.0'],
    [{ current: '1.0.0', canary: { version: '2.0.0', share: 1 } }, inRun('run-1'), '2.0.0'],
    [{ current: '1.0.0', canary: { version: '2.0.0', share: 0 } }, inRun('run-1'), '1.0.0'],
    [{ current: '1.0.0', canary: { version: '2.0.0', share: 1, tenants: ['globex'] } }, inRun('run-1'), '1.0.0'],
    [{ current: '1.0.0', canary: { version: '2.0.0', share: 1, tenants: ['acme'] } }, inRun('run-1'), '2.0.0'],
    [{ current: '1.0.0', canary: { version: '2.0.0', share: 0.999 } }, { tenant: 'acme' }, '1.0.0'],
    [{ current: '1.0.0', canary: { version: '2.0.0', share: 1 } }, { tenant: 'acme' }, '2.0.0'],
  ] as const)('by %j gives %j version %s [canary-by-run] [TC-050, TC-052]', async (choice, context, expected) => {
    const proviso = await open(three().tools, { versions: { order: choice } })
    expect(await versionOf(proviso, context)).toBe(expected)
  })

  it('keeps a run at its version through every new share and promotion [canary-by-run] [TC-050]', async () => {
    const ledger = memory()
    const canary = { version: '2.0.0', share: 0.5 }
    const options: ProvisoOptions = { ledger, versions: { order: { current: '1.0.0', canary } } }
    const proviso = await open(three().tools, options)
    const other = await open(three().tools, options)
    const runs = Array.from({ length: 40 }, (_, index) => `run-${index}`)
    const begun = new Map<string, string>()
    for (const run of runs) begun.set(run, await versionOf(proviso, inRun(run)))
    expect(new Set(begun.values())).toEqual(new Set(['1.0.0', '2.0.0']))
    for (const run of runs) expect(await versionOf(other, inRun(run))).toBe(begun.get(run))
    await other.versions.canary('order', { version: '2.0.0', share: 0 }, ann)
    await other.versions.promote('order', '1.1.0', ann)
    for (const run of runs) expect(await versionOf(proviso, inRun(run))).toBe(begun.get(run))
    expect(await versionOf(proviso, inRun('a new run'))).toBe('1.1.0')
    expect(await resolved(proviso, inRun(runs.find((run) => begun.get(run) === '1.0.0') ?? ''))).toMatchObject({
      route: 'run',
    })
  })
})

describe('promotion and rollback', () => {
  it('are recorded with who, when and why, and a rollback makes current what was so before [versions-are-decided]', async () => {
    const proviso = await open(three().tools, { clock: manualClock(), versions: { order: { current: '1.0.0' } } })
    await proviso.versions.promote('order', '1.1.0', ann)
    const after = await proviso.versions.promote('order', '2.0.0', { by: 'bob', why: 'Asked for.' })
    expect([after.current, after.decided?.by]).toEqual(['2.0.0', 'bob'])
    const back = await proviso.versions.rollback('order', { by: 'ann', why: 'It is slow.' })
    expect(back).toMatchObject({ current: '1.1.0', versions: [{}, {}, { version: '2.0.0', role: 'withdrawn' }] })
    expect(await proviso.versions.history('order')).toMatchObject([
      { seq: 1, by: 'ann', change: { kind: 'promote', version: '1.1.0', from: '1.0.0' } },
      { seq: 2, by: 'bob', why: 'Asked for.', at: Date.UTC(2026, 0, 1) },
      { seq: 3, by: 'ann', why: 'It is slow.', change: { kind: 'rollback' } },
    ])
    expect((await proviso.versions.rollback('order', ann)).current).toBe('1.0.0')
    await expect(proviso.versions.rollback('order', ann)).rejects.toThrow('nothing to roll back to')
  })

  it('take a version that was rolled back from the runs that began with it, and say so [rollback-takes-back]', async () => {
    const proviso = await open(three().tools, { versions: { order: { current: '1.0.0' } } })
    await proviso.versions.promote('order', '2.0.0', ann)
    expect(await versionOf(proviso, inRun('run-1'))).toBe('2.0.0')
    const surface = await proviso.surface(inRun('run-1'))
    await proviso.versions.rollback('order', ann)
    const answer = await proviso.call({ tool: 'order', arguments: { id: 'o-1' } }, inRun('run-1'))
    expect([answer.observation.tool_identity.version, warningsOf(answer)]).toEqual(['1.0.0', ['version_changed']])
    // A caller that goes on with an old surface is told to take another one.
    const stale = await proviso.call({ tool: 'order', arguments: { id: 'o-1' } }, inRun('run-1', { surface }))
    expect([classOf(stale), reasonOf(stale), stale.effect]).toEqual(['POLICY_VIOLATION', 'blocked_tool', 'none'])
    // The run does not go back and forth.
    await proviso.versions.promote('order', '2.0.0', ann)
    expect(await versionOf(proviso, inRun('run-1'))).toBe('1.0.0')
  })

  it('ends a canary first, also one that only the options name [rollback-takes-back]', async () => {
    const canary = { version: '2.0.0', share: 1 }
    const proviso = await open(three().tools, { versions: { order: { current: '1.0.0', canary } } })
    expect(await versionOf(proviso, inRun('run-1'))).toBe('2.0.0')
    expect((await proviso.versions.rollback('order', ann)).canary).toBeUndefined()
    for (const run of ['run-1', 'run-2']) expect(await versionOf(proviso, inRun(run))).toBe('1.0.0')
  })

  it.each([
    ['stranger', '1.0.0', ann, 'No tool here is called stranger'],
    ['order', '9.0.0', ann, 'order 9.0.0 is not registered here'],
    ['order', '2.0.0', ann, 'is current already'],
    ['order', '0.9.0', ann, 'has come to its end'],
    ['order', '1.0.0', { by: '', why: 'x' }, 'Say who decides'],
    ['order', '1.0.0', { by: 'ann', why: ' ' }, 'Say why'],
  ])('refuses to promote %s %s by %j [versions-are-decided]', async (tool, version, said, message) => {
    const { tools } = three()
    const old = trial().version('0.9.0', { lifecycle: { status: 'sunsetted' } })
    const proviso = await open([...tools, old])
    await expect(proviso.versions.promote(tool, version, said)).rejects.toThrow(message)
    expect(await proviso.versions.history()).toEqual([])
  })
})

describe('a call that waits for a person', () => {
  const waiting = async (lifecycle: Parameters<ReturnType<typeof trial>['version']>[1] = {}) => {
    const clock = manualClock()
    const { ran, version } = trial()
    const risky = { effect: 'HIGH_RISK_EXTERNAL' } as const
    const tools = [version('1.0.0', { ...risky, ...lifecycle }), version('2.0.0', risky)]
    const proviso = await open(tools, { clock, versions: { order: { current: '1.0.0' } } })
    const proposal = { tool: 'order', arguments: { id: 'o-1' }, callId: 'c1' }
    const asked = await proviso.call(proposal, inRun('run-1'))
    return {
      clock,
      ran,
      proviso,
      proposal,
      approval: asked.approval?.id ?? '',
      id: asked.observation.tool_identity.call_id,
    }
  }

  it.each(['promote', 'rollback'] as const)(
    'keeps its version across a %s [waiting-call-keeps-its-version]',
    async (what) => {
      const { ran, proviso, proposal, approval, id } = await waiting()
      await proviso.versions.promote('order', '2.0.0', ann)
      if (what === 'rollback') {
        await proviso.versions.promote('order', '1.0.0', ann)
        await proviso.versions.rollback('order', ann)
      }
      await approveAs(proviso, approval, 'boss')
      // In another run the new version would be current; the call is found again, and is the one that was shown.
      const answer = await proviso.call(proposal, inRun('run-1'))
      expect([classOf(answer), answer.observation.tool_identity, ran]).toMatchObject([
        'SUCCESS',
        { version: '1.0.0', call_id: id },
        ['1.0.0 o-1'],
      ])
      expect((await proviso.calls.replay(id)).flatMap(({ divergences }) => divergences)).toEqual([])
    },
  )

  it('is refused where its version has come to its end meanwhile [sunset-by-the-clock]', async () => {
    const lifecycle = { lifecycle: { sunset_date: '2026-01-02', replacement: 'order_v2' } }
    const { clock, ran, proviso, proposal, approval, id } = await waiting(lifecycle)
    await approveAs(proviso, approval, 'boss')
    clock.advance(86_399_999)
    clock.advance(1)
    const answer = await proviso.call(proposal, inRun('run-1'))
    expect([classOf(answer), reasonOf(answer), answer.effect, ran]).toEqual([
      'POLICY_VIOLATION',
      'contract_sunsetted',
      'none',
      [],
    ])
    expect(answer.feedback?.field_errors[0]?.message).toContain('Use order_v2 instead.')
    expect((await proviso.calls.replay(id)).flatMap(({ divergences }) => divergences)).toEqual([])
  })
})

describe('a sunset date', () => {
  it('ends each version by the moment of the call, also on a surface that was taken before [sunset-by-the-clock]', async () => {
    const clock = manualClock(Date.UTC(2026, 0, 1, 23, 59, 59, 999))
    const { version } = trial()
    const tools = [version('1.0.0'), version('2.0.0', { lifecycle: { sunset_date: '2026-01-02', replacement: null } })]
    const proviso = await open(tools, { clock, versions: { order: { current: '2.0.0' } } })
    const surface = await proviso.surface(inRun('run-1'))
    const last = await proviso.call({ tool: 'order', arguments: { id: 'o-1' } }, inRun('run-1', { surface }))
    expect([classOf(last), warningsOf(last)]).toEqual(['SUCCESS', ['deprecated']])
    clock.advance(1)
    expect(await versionOf(proviso, inRun('run-1', { surface }))).toBe('contract_sunsetted')
    expect(await versionOf(proviso, inRun('run-1'))).toBe('contract_sunsetted')
    const only = await open([version('1.0.0'), tools[1] ?? version('2.0.0')], { clock })
    expect(await versionOf(only, inRun('run-2'))).toBe('1.0.0')
  })
})

describe('a comparison', () => {
  it('counts how two versions did, from the calls on record [versions-compared]', async () => {
    const clock = manualClock()
    const { tools } = three()
    const proviso = await open(tools, { clock, versions: { order: { current: '1.0.0' } } })
    const call = (run: string, args: unknown) => proviso.call({ tool: 'order', arguments: args }, inRun(run))
    for (let index = 0; index < 3; index++) await call('old', { id: `${index}` })
    await call('old', { id: 1 })
    clock.advance(1_000)
    const since = clock.now()
    await proviso.versions.promote('order', '2.0.0', ann)
    for (let index = 0; index < 2; index++) await call('new', { id: `${index}` })
    expect(await proviso.versions.compare('order', '1.0.0', '2.0.0')).toEqual({
      tool: 'order',
      versions: [
        {
          version: '1.0.0',
          calls: 4,
          statuses: { SUCCESS: 3, TYPE_MISMATCH: 1 },
          effects: { none: 4, happened: 0, unknown: 0, pending: 0 },
          latency: { p50: 0, p99: 0 },
          refusals: { types: 1 },
        },
        expect.objectContaining({ version: '2.0.0', calls: 2, statuses: { SUCCESS: 2 }, refusals: {} }),
      ],
      looked: 6,
      cut: false,
    })
    const recent = await proviso.versions.compare('order', '1.0.0', '2.0.0', { since })
    expect(recent.versions.map(({ calls }) => calls)).toEqual([0, 2])
    const few = await proviso.versions.compare('order', '1.0.0', '2.0.0', { limit: 4 })
    expect([few.looked, few.cut, few.versions.map(({ calls }) => calls)]).toEqual([4, true, [2, 2]])
  })
})
