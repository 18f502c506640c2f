import { describe, expect, test } from 'vitest'
import { type LoadOptions, loadPolicies } from './load-policies.ts'

const anything = '(principal, action, resource);'

async function load(text: string, more: LoadOptions = {}) {
  return loadPolicies({ texts: [{ name: 'a.cedar', text }], ...more })
}

async function problemsOf(text: string): Promise<readonly string[]> {
  const loading = await load(text)
  return loading.ok ? [] : loading.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

describe('Loading policies', () => {
  test('keeps their order and derives the ids that are missing', async () => {
    const text = Array.from({ length: 12 }, (_, index) =>
      index === 3 ? `@id("mine") permit${anything}` : `permit${anything}`,
    )
    const loading = await load(text.join('\n'))
    if (!loading.ok) throw new Error('refused')
    const ids = loading.policies.policies.map(({ id }) => id)
    expect(ids.slice(0, 5)).toEqual(['a.cedar#1', 'a.cedar#2', 'a.cedar#3', 'mine', 'a.cedar#5'])
    expect(ids[11]).toBe('a.cedar#12')
    expect(loading.policies.policies[10]?.place).toEqual({ source: 'a.cedar', line: 11, column: 1 })
  })

  test('refuses an id that is taken, also by a derived one', async () => {
    expect(await problemsOf(`@id("x") permit${anything}\n@id("x") forbid${anything}`)).toEqual([
      '2:1 The id "x" is taken by the policy at a.cedar:1.',
    ])
    expect(await problemsOf(`permit${anything}\n@id("a.cedar#1") forbid${anything}`)).toHaveLength(1)
  })

  test('tells where the text is wrong, past characters of several bytes', async () => {
    const [first] = await problemsOf(`// äöü€😀\npermit(principal, action, resource) when { foo };`)
    expect(first).toMatch(/^2:44 invalid variable: foo/)
  })

  test('refuses templates', async () => {
    expect(await problemsOf('permit(principal == ?principal, action, resource);')).toEqual([
      expect.stringMatching(/^1:1 This is a template/),
    ])
  })

  test('survives an expression that is nested too deeply for the engine', async () => {
    const deep = `permit(principal, action, resource) when { ${'('.repeat(5_000)}true${')'.repeat(5_000)} };`
    expect(await problemsOf(deep)).toEqual([expect.stringMatching(/nested too deeply/)])
    expect(await problemsOf(`permit${anything}`)).toEqual([])
  })

  test('loads nothing where a file is missing', async () => {
    const loading = await loadPolicies({
      files: ['/nowhere/x.cedar'],
      texts: [{ name: 'a', text: `permit${anything}` }],
    })
    expect(loading.ok).toBe(false)
  })

  test.each([
    [`@ask permit${anything}`, /belongs on a forbid/],
    [`@ask("unknown") forbid${anything}`, /no approval pattern/],
    [`@ask @quorum("0") forbid${anything}`, /whole number/],
    [`@ask @quorum("2e1") forbid${anything}`, /whole number/],
    [`@ask @roles("a,,b") forbid${anything}`, /separated by commas/],
    [`@quorum("2") forbid${anything}`, /needs @ask/],
    [`@id("") forbid${anything}`, /@id takes/],
    ['forbid(principal, action, resource) when { 9007199254740993 == 9007199254740992 };', /beyond 2\^53/],
  ])('refuses %s', async (text, message) => {
    expect(await problemsOf(text)).toEqual([expect.stringMatching(message)])
  })

  test('reads who is asked', async () => {
    const loading = await load(
      `@ask("dual_control") @roles("finance, legal") @quorum("2") @message("Too much.") forbid${anything}`,
    )
    if (!loading.ok) throw new Error('refused')
    expect(loading.policies.policies[0]).toMatchObject({
      message: 'Too much.',
      ask: { pattern: 'dual_control', roles: ['finance', 'legal'], quorum: 2 },
    })
  })

  test('gives a version that comments leave as it is, and order, effect and default change', async () => {
    const versionOf = async (text: string, more: LoadOptions = {}) => {
      const loading = await load(text, more)
      return loading.ok ? loading.policies.version : undefined
    }
    const one = `@id("a") permit${anything}`
    const two = `@id("b") forbid${anything}`
    const plain = await versionOf(one + two)
    expect(await versionOf(`${one} // why\n\n${two}`)).toBe(plain)
    expect(await versionOf(two + one)).not.toBe(plain)
    expect(await versionOf(one)).not.toBe(plain)
    expect(await versionOf(one + two, { unlessPermitted: 'deny' })).not.toBe(plain)
  })
})
