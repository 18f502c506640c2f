import { describe, expect, it, test } from 'vitest'
import type { Release, ToolSource } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { makeRelease } from '../../src/public/drift.ts'
import { approveAs } from '../people.ts'
import { classOf, open, reasonOf } from '../pipeline/bench-desk.ts'
import { ann, inRun, trial, versionOf } from './version-trial.ts'

const model = 'some-model-2026'
const prompt = 'You handle orders of {company}.'

/** An order desk of two tools, each in two versions. */
function desk() {
  const { ran, version } = trial()
  const refund = (of: string) => version(of, { name: 'refund' })
  const old = [version('1.0.0'), refund('1.0.0')]
  const recent = [version('2.0.0'), refund('2.0.0')]
  const release = (tools: readonly ToolSource[], named = model) => makeRelease({ model: named, prompt, tools })
  return {
    ran,
    tools: [...old, ...recent],
    first: release(old),
    second: release(recent),
    release,
    old,
    recent,
    version,
  }
}

const both = async (proviso: Awaited<ReturnType<typeof open>>, context: Parameters<typeof versionOf>[1]) => [
  await versionOf(proviso, context),
  await versionOf(proviso, context, 'refund'),
]

describe('a manifest', () => {
  it('has the hash of its content for an id, in any order of its tools [release-is-whole] [TC-056]', () => {
    const { old, first, release } = desk()
    expect(release(old.toReversed())).toEqual(first)
    expect(release(old, 'another').id).not.toBe(first.id)
    expect(first.tools).toMatchObject({ order: { version: '1.0.0' }, refund: { version: '1.0.0' } })
    expect(() => release([...old, ...old])).toThrow('one version of order')
  })

  test.each<[string, (release: Release) => unknown]>([
    ['changed afterwards', (release) => ({ ...release, model: 'another' })],
    ['with more than it should have', (release) => ({ ...release, more: 1 })],
    ['without tools', (release) => ({ ...release, tools: {} })],
    ['that is no object', () => 'release'],
  ])('%s is refused [release-is-whole]', async (_, spoil) => {
    const { tools, first } = desk()
    const release = spoil(first) as Release
    await expect(open(tools, { release })).rejects.toThrow(/release/)
    const proviso = await open(tools)
    await expect(proviso.releases.promote(release, ann)).rejects.toThrow(/release/)
  })
})

describe('a release', () => {
  it('is refused at the door where something of it is not registered [release-is-whole] [TC-056, TC-327]', async () => {
    const { old, second, version } = desk()
    await expect(open(old, { release: second })).rejects.toThrow('has order 2.0.0; here it is 1.0.0')
    await expect(open([version('1.0.0')], { release: desk().first })).rejects.toThrow('refund is not registered here')
    const proviso = await open(old)
    await expect(proviso.releases.promote(second, ann)).rejects.toThrow('This release does not fit.')
    const other = { ...desk().first, wrapper_version: '0.0.0' }
    const { id: _id, ...content } = other
    const { releaseId } = await import('../../src/contract/release/release.ts')
    await expect(open(old, { release: { ...content, id: releaseId(content) } })).rejects.toThrow(
      'version 0.0.0 of proviso',
    )
  })

  it('is promoted and rolled back whole, and a run stays with the one it began with [release-is-whole] [TC-056]', async () => {
    const { tools, first, second } = desk()
    const proviso = await open(tools, { release: first })
    expect(await both(proviso, inRun('run-1'))).toEqual(['1.0.0', '1.0.0'])
    await proviso.releases.promote(second, ann)
    expect((await proviso.releases.current())?.id).toBe(second.id)
    expect(await both(proviso, inRun('run-1'))).toEqual(['1.0.0', '1.0.0'])
    expect(await both(proviso, inRun('run-2'))).toEqual(['2.0.0', '2.0.0'])
    expect(await both(proviso, { tenant: 'acme' })).toEqual(['2.0.0', '2.0.0'])
    await proviso.releases.rollback(ann)
    expect(await proviso.releases.current()).toBeUndefined()
    expect(await both(proviso, inRun('run-2'))).toEqual(['1.0.0', '1.0.0'])
    await expect(proviso.releases.rollback(ann)).rejects.toThrow('there is none to roll back')
  })

  it('leaves what two releases have in common as it is when one is rolled back [release-is-whole]', async () => {
    const { tools, old, recent, release } = desk()
    const mixed = release([...old.slice(0, 1), ...recent.slice(1)])
    const proviso = await open(tools)
    await proviso.releases.promote(release(old), ann)
    await proviso.releases.promote(mixed, ann)
    expect(await both(proviso, inRun('run-1'))).toEqual(['1.0.0', '2.0.0'])
    expect((await proviso.releases.rollback(ann))?.id).toBe(release(old).id)
    expect(await both(proviso, inRun('run-2'))).toEqual(['1.0.0', '1.0.0'])
    expect((await proviso.versions.list()).map(({ current }) => current)).toEqual(['1.0.0', '1.0.0'])
  })

  it('refuses a tool that it does not include [release-is-whole]', async () => {
    const { tools, release, old } = desk()
    const proviso = await open(tools, { release: release(old.slice(0, 1)) })
    const surface = await proviso.surface(inRun('run-1'))
    expect(surface.entries.get('refund')).toMatchObject({ status: 'blocked', reason: 'release_mismatch' })
    expect(await both(proviso, inRun('run-1'))).toEqual(['1.0.0', 'release_mismatch'])
  })
})

describe('a call that names no release', () => {
  it('is held against the one in force by the model and the prompt it was made with [release-is-whole]', async () => {
    const { tools, ran, first } = desk()
    const proviso = await open(tools, { release: first })
    expect(await both(proviso, inRun('run-1', { model: 'another' }))).toEqual(['release_mismatch', 'release_mismatch'])
    expect(await versionOf(proviso, inRun('run-1', { promptHash: 'another' }))).toBe('release_mismatch')
    expect(ran).toEqual([])
    expect(await versionOf(proviso, inRun('run-1', { model: first.model }))).toBe('1.0.0')
    expect(await versionOf(await open(tools), inRun('run-2', { model: 'another' }))).toBe('2.0.0')
  })
})

describe('a call that names its release', () => {
  it('gets the versions of that release, though another one is in force [release-is-whole]', async () => {
    const { tools, first, second } = desk()
    const proviso = await open(tools)
    await proviso.releases.promote(first, ann)
    await proviso.releases.promote(second, ann)
    expect(await both(proviso, inRun('run-1', { release: first.id }))).toEqual(['1.0.0', '1.0.0'])
    expect(await both(proviso, inRun('run-2', { release: second.id }))).toEqual(['2.0.0', '2.0.0'])
    const { call_id } = (
      await proviso.call({ tool: 'order', arguments: { id: 'o' } }, inRun('run-1', { release: first.id }))
    ).observation.tool_identity
    expect((await proviso.calls.facts(call_id))[0]?.evidence).toMatchObject({ route: 'release', release: first.id })
  })

  it.each([
    ['that is not known', (id: string) => ({ release: `${id.slice(1)}0` }), 'is not known here'],
    ['with another model', (release: string) => ({ release, model: 'another' }), 'for the model some-model-2026'],
    ['with another prompt', (release: string) => ({ release, promptHash: 'another' }), 'another prompt template'],
  ])('%s is refused without effect, on every surface [release-is-whole]', async (_, claim, message) => {
    const { tools, ran, second } = desk()
    const proviso = await open(tools)
    await proviso.releases.promote(second, ann)
    const context = inRun('run-1', claim(second.id))
    const surface = await proviso.surface(inRun('run-2'))
    for (const where of [context, { ...context, surface }]) {
      const answer = await proviso.call({ tool: 'order', arguments: { id: 'o' } }, where)
      expect([classOf(answer), reasonOf(answer), answer.effect, answer.response.next_action]).toEqual([
        'POLICY_VIOLATION',
        'release_mismatch',
        'none',
        'stop_and_report',
      ])
      expect(answer.feedback?.field_errors[0]?.message).toContain(message)
    }
    expect(ran).toEqual([])
  })

  it('is refused with another contract under the same version, where a tool has one version only [release-is-whole]', async () => {
    const { first, version } = desk()
    const ledger = memory()
    const promoting = await open(desk().tools, { ledger })
    await promoting.releases.promote(first, ann)
    const changed = version('1.0.0', { aliases: ['o'], lifecycle: { status: 'deprecated' } })
    const proviso = await open([changed, version('1.0.0', { name: 'refund' })], { ledger })
    expect(await both(proviso, inRun('run-1', { release: first.id }))).toEqual(['release_mismatch', '1.0.0'])
  })

  it('may not mix two releases in one run, nor a release with what the run began with [release-is-whole]', async () => {
    const { tools, first, second } = desk()
    const proviso = await open(tools, { versions: { order: { current: '2.0.0' } } })
    await proviso.releases.promote(second, ann)
    await proviso.releases.promote(first, ann)
    expect(await versionOf(proviso, inRun('run-1', { release: second.id }))).toBe('2.0.0')
    expect(await versionOf(proviso, inRun('run-1', { release: first.id }))).toBe('release_mismatch')
    expect(await versionOf(proviso, inRun('run-2'))).toBe('1.0.0')
    expect(await versionOf(proviso, inRun('run-2', { release: second.id }))).toBe('release_mismatch')
  })

  it('is refused once its release was rolled back, also after a wait [release-is-whole]', async () => {
    const { ran, version } = trial()
    const risky = { effect: 'HIGH_RISK_EXTERNAL' } as const
    const tools = [version('1.0.0', risky), version('2.0.0', risky)]
    const [first, second] = tools.map((tool) => makeRelease({ model, prompt, tools: [tool] }))
    const proviso = await open(tools)
    if (first === undefined || second === undefined) throw new Error('no releases')
    await proviso.releases.promote(first, ann)
    await proviso.releases.promote(second, ann)
    const proposal = { tool: 'order', arguments: { id: 'o' }, callId: 'c1' }
    const context = inRun('run-1', { release: second.id })
    const asked = await proviso.call(proposal, context)
    await approveAs(proviso, asked.approval?.id ?? '', 'boss')
    await proviso.releases.rollback(ann)
    const answer = await proviso.call(proposal, context)
    expect([reasonOf(answer), answer.effect, ran]).toEqual(['release_mismatch', 'none', []])
    expect(answer.feedback?.field_errors[0]?.message).toContain('was rolled back')
  })
})
