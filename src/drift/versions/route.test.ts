import { describe, expect, it, test } from 'vitest'
import { plainContract } from '../../../test/plain-contract.ts'
import { Fault } from '../../contract/fault.ts'
import type { VersionChange, VersionDecision } from '../../contract/release/version-decision.ts'
import { compileTool } from '../../contract/tool/compile-tool.ts'
import type { Contract } from '../../contract/tool/envelope.ts'
import { fillBinding } from '../../contract/tool/fill-binding.ts'
import type { Tool } from '../../contract/tool/tool.ts'
import type { EpochMs } from '../../json/clock.ts'
import { createCatalog, type Family } from './catalog.ts'
import { rollbackChange } from './changes.ts'
import { type InForce, nothingDecided, withDecision } from './in-force.ts'
import { currentTool, firstTool, type VersionChoice } from './route.ts'
import { readChoices } from './version-desk.ts'

const now = Date.UTC(2026, 5, 1) as EpochMs

type Lifecycle = Partial<Contract['identity']['lifecycle']>

function toolOf(version: string, lifecycle: Lifecycle = {}, aliases: readonly string[] = [], name = 'order'): Tool {
  const contract = plainContract({
    identity: {
      name,
      version,
      owner: 'desk',
      lifecycle: { status: 'active', sunset_date: null, replacement: null, ...lifecycle },
    },
  })
  const binding = fillBinding('READ_ONLY', { aliases }, { kind: 'fn', isolated: false, run: () => ({}) })
  const compiled = compileTool(contract, binding)
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join(' '))
  return compiled.tool
}

const familyOf = (...tools: readonly Tool[]) => createCatalog(tools).families.get('order') as Family
const plain = (...versions: readonly string[]) => familyOf(...versions.map((version) => toolOf(version)))

function decided(...changes: readonly VersionChange[]): InForce {
  return changes.reduce<InForce>((state, change, index) => {
    const decision: VersionDecision = { seq: index + 1, id: `${index}`, at: now, by: 'ann', why: 'test', change }
    return withDecision(state, decision)
  }, nothingDecided)
}

const current = (family: Family, choice?: VersionChoice, state: InForce = nothingDecided) =>
  currentTool(family, { choice, decided: state.tools.get('order') }, now).contract.identity.version

const promote = (version: string, from: string | null = null): VersionChange => ({
  kind: 'promote',
  tool: 'order',
  version,
  from,
})
const rollback: VersionChange = { kind: 'rollback', tool: 'order', canary: null }
const endCanary: VersionChange = { ...rollback, canary: '1.1.0' }
const canary = (version: string | null): VersionChange => ({
  kind: 'canary',
  tool: 'order',
  canary: version === null ? null : { version, share: 1 },
})

describe('the current version', () => {
  test.each([
    ['the highest', plain('1.2.0', '1.10.0', '1.9.0'), '1.10.0'],
    ['never a prerelease', plain('1.0.0', '2.0.0-rc.1'), '1.0.0'],
    ['the only one, also without a semantic version', plain('next'), 'next'],
    ['one that is active', familyOf(toolOf('1.0.0'), toolOf('2.0.0', { status: 'deprecated' })), '1.0.0'],
    ['one that has not ended', familyOf(toolOf('1.0.0'), toolOf('2.0.0', { sunset_date: '2026-06-01' })), '1.0.0'],
    [
      'a deprecated one before one that has ended',
      familyOf(toolOf('1.0.0', { status: 'deprecated' }), toolOf('2.0.0', { status: 'sunsetted' })),
      '1.0.0',
    ],
    [
      'the newest, which says what to use instead, where all have ended',
      familyOf(toolOf('1.0.0', { status: 'sunsetted' }), toolOf('2.0.0', { status: 'sunsetted' })),
      '2.0.0',
    ],
  ])('is %s', (_, family, expected) => expect(current(family)).toBe(expected))

  const family = plain('1.0.0', '1.1.0', '1.2.0')
  test.each([
    ['the one that the options name', { current: '1.0.0' }, [], '1.0.0'],
    ['the one that was promoted, against the options', { current: '1.0.0' }, [promote('1.1.0')], '1.1.0'],
    [
      'that of the options, where the promoted one is not registered',
      { current: '1.0.0' },
      [promote('9.0.0')],
      '1.0.0',
    ],
    ['the one before, after a rollback', undefined, [promote('1.0.0', '1.2.0'), promote('1.1.0'), rollback], '1.0.0'],
    ['not the one that was rolled back, though it is the highest', undefined, [promote('1.2.0'), rollback], '1.1.0'],
    [
      'not the one that was rolled back, though the options name it',
      { current: '1.2.0' },
      [promote('1.2.0'), rollback],
      '1.1.0',
    ],
    [
      'a version that was rolled back and is promoted again',
      undefined,
      [promote('1.2.0'), rollback, promote('1.2.0')],
      '1.2.0',
    ],
    ['untouched by a rollback that ends a canary', undefined, [promote('1.0.0'), canary('1.1.0'), endCanary], '1.0.0'],
  ] as const)('is %s', (_, choice, changes, expected) => {
    expect(current(family, choice, decided(...changes))).toBe(expected)
  })
})

describe('a canary', () => {
  const family = plain('1.0.0', '1.1.0', '1.2.0-rc.1')
  const first = (choice: VersionChoice | undefined, ...changes: readonly VersionChange[]) =>
    firstTool(family, { choice, decided: decided(...changes).tools.get('order') }, { tenant: 'acme', run: 'r' }, now)
      .contract.identity.version

  it('may be a prerelease, and goes before what is current', () => {
    expect(first({ current: '1.0.0', canary: { version: '1.2.0-rc.1', share: 1 } })).toBe('1.2.0-rc.1')
  })
  it('is ended by a decision, also where the options name it', () => {
    expect(first({ current: '1.0.0', canary: { version: '1.1.0', share: 1 } }, canary(null))).toBe('1.0.0')
  })
  it('is over once it is promoted, and another one goes on', () => {
    expect(decided(canary('1.1.0'), promote('1.1.0')).tools.get('order')?.canary).toBeNull()
    expect(decided(canary('1.1.0'), promote('1.0.0')).tools.get('order')?.canary?.version).toBe('1.1.0')
  })
  it('that only the options name is over once it is promoted, and a rollback goes back to what was current', () => {
    const choice = { current: '1.0.0', canary: { version: '1.1.0', share: 1 } }
    const known = (state: InForce) => ({ family, terms: { choice, decided: state.tools.get('order') }, now })
    const promoted = decided(promote('1.1.0', '1.0.0'))
    const change = rollbackChange(promoted, 'order', known(promoted))
    expect(change).toEqual(rollback)
    expect(first(choice, promote('1.1.0', '1.0.0'), change)).toBe('1.0.0')
  })
  it('is given to no run once it was rolled back', () => {
    expect(first(undefined, promote('1.0.0'), canary('1.1.0'), endCanary)).toBe('1.0.0')
  })
})

describe('versions side by side', () => {
  const message = (...tools: readonly Tool[]) => {
    try {
      createCatalog(tools)
    } catch (error) {
      if (error instanceof Fault) return error.message
    }
    return undefined
  }
  test.each([
    [[toolOf('1.0.0'), toolOf('1.0.0')], 'Two tools answer to order 1.0.0'],
    [[toolOf('1.0.0'), toolOf('one')], 'no semantic version'],
    [[toolOf('1.0.0+a'), toolOf('1.0.0+b')], 'neither of the two is the later one'],
    [[toolOf('1.0.0', {}, ['other']), toolOf('1.0.0', {}, [], 'other')], 'Two tools answer to other'],
    [[toolOf('1.0.0', {}, ['x']), toolOf('1.0.0', {}, ['x'], 'other')], 'Two tools answer to x'],
    [[toolOf('1.0.0', {}, ['x', 'x'])], 'names an alias twice'],
  ])('are refused by name', (tools, said) => expect(message(...tools)).toContain(said))

  it('may share their aliases', () => {
    expect(message(toolOf('1.0.0', {}, ['x']), toolOf('1.1.0', {}, ['x']))).toBeUndefined()
  })

  test.each([
    [{ stranger: {} }, 'no tool has this name'],
    [{ order: { current: '3.0.0' } }, 'order 3.0.0, which is not registered'],
    [{ order: { canary: { version: '3.0.0', share: 1 } } }, 'order 3.0.0, which is not registered'],
    [{ order: { current: '1.0.0', canary: { version: '1.0.0', share: 1 } } }, 'a canary is another version'],
    [{ order: { canary: { version: '1.1.0', share: 1.5 } } }, 'a number from 0 to 1'],
    [{ order: { canary: { version: '1.1.0', share: Number.NaN } } }, 'a number from 0 to 1'],
  ])('are chosen from what is registered: %j', (choices, said) => {
    expect(() => readChoices(choices, createCatalog([toolOf('1.0.0'), toolOf('1.1.0')]))).toThrow(said)
  })

  it('that are all prereleases need an option that says which one is current', () => {
    const catalog = createCatalog([toolOf('1.0.0-a'), toolOf('1.0.0-b')])
    expect(() => readChoices({}, catalog)).toThrow('say in versions which one is current')
    expect(readChoices({ order: { current: '1.0.0-a' } }, catalog).get('order')?.current).toBe('1.0.0-a')
  })
})
