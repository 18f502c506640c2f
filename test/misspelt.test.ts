// What a host writes that nothing would read is refused, with what to write instead.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type CallContext, defineTool, openProviso, type Proviso, type ProvisoOptions } from '../src/index.ts'

const tool = (more: object = {}) =>
  defineTool({
    name: 'pay_v1',
    description: 'Pays.',
    effect: 'READ_ONLY',
    input: { type: 'object', properties: {}, additionalProperties: false },
    execute: () => ({}),
    ...more,
  })

const open = async (more: object = {}): Promise<Proviso> => {
  const proviso = await openProviso({ tools: [tool()], ...(more as ProvisoOptions) })
  onTestFinished(() => proviso.close())
  return proviso
}

describe('a tool', () => {
  it.each<[object, string]>([
    [{ timoutMs: 5 }, 'Tool pay_v1: There is no option timoutMs. Did you mean timeoutMs?'],
    [{ effect: 'WRITE' }, 'effect is a text. Give "READ_ONLY" or'],
    [{ execute: 5 }, 'execute is 5. Give a function.'],
    [{ executor: {} }, 'executor is an object. Give an executor'],
    [{ recovery: { horizonMS: 5 } }, 'Did you mean recovery.horizonMs?'],
    [{ recovery: { providerWindowMs: '24h' } }, 'recovery.providerWindowMs is the text "24h". Give a whole number'],
    [{ recovery: { expired: 'forget' } }, 'Give "reject" or "rebuild".'],
    [{ connections: { lopback: true } }, 'Did you mean connections.loopback?'],
    [{ approval: { roles: 'boss' } }, 'approval.roles is a text. Give a list of texts'],
    [{ approval: { pattern: 'all' } }, 'Give "user_consent" or'],
    [{ verification: { delay: 5 } }, 'Did you mean verification.delayMs?'],
    [{ commits: 'ledgr' }, 'commits is a text. Give "ledger".'],
    [{ trusted: 'no' }, 'trusted is the text "no". Give true or false.'],
    [{ interrupt: 'stop' }, 'Give "cancel" or "block".'],
  ])('is refused with %o', (more, says) => {
    expect(() => tool(more)).toThrow(says)
  })
})

describe('a Proviso', () => {
  it.each<[object, string]>([
    [{ ledger: {} }, 'ledger is an object. Give a ledger'],
    [{ tools: [{}] }, 'This is no tool.'],
    [{ tenants: ['acme', ''] }, 'tenants has an item that is no name'],
    [{ hooks: [{ name: 'h', befor() {} }] }, 'There is no option hooks[0].befor.'],
    [{ hooks: [{ preToolUse() {} }] }, 'hooks[0].name is not given.'],
    [{ policies: [{ name: 'p', judge() {} }] }, 'Give a policy in code, with id and judge()'],
    [{ credentials: [{}] }, 'Give a resolver, with resolve()'],
    [{ blocked: { pay_v1: 5 } }, 'For each tool, give the reason as a text.'],
    [{ narrow: { acme: 5 } }, 'narrow[acme] is 5. Give an object.'],
    [{ limits: { maxDepth: 1e9 } }, 'limits.maxDepth is 1000000000. Give a whole number from 1 to 1,000.'],
  ])('is not opened with %o', async (more, says) => {
    await expect(openProviso(more as ProvisoOptions)).rejects.toMatchObject({
      code: 'bad_options',
      message: expect.stringContaining(says),
    })
  })

  it('takes hooks that are objects of a class, with what they need for themselves', async () => {
    class Counting {
      readonly name = 'counting'
      count = 0
      preToolUse() {
        this.count++
        return undefined
      }
    }
    const hook = new Counting()
    const proviso = await open({ hooks: [hook] })
    await proviso.call({ tool: 'pay_v1', arguments: {} }, { run: 'r' })
    expect(hook.count).toBe(1)
  })
})

describe('a context with a field that nothing reads', () => {
  const misspelt = { tennant: 'acme' } as CallContext
  const says = 'It has no field "tennant". Did you mean tenant?'

  it('is no context of the default tenant: its call is refused', async () => {
    const { observation } = await (await open()).call({ tool: 'pay_v1', arguments: {} }, misspelt)
    expect(observation.status.taxonomy_class).toBe('PERMISSION_DENIED')
    expect(JSON.stringify(observation)).toContain('Did you mean tenant?')
  })

  it('is refused by every other question', async () => {
    const proviso = await open()
    for (const asked of [
      () => proviso.surface(misspelt),
      () => proviso.discover('pay', { ...misspelt, run: 'r' }),
      () => proviso.budgets.left(misspelt),
    ])
      await expect(asked()).rejects.toMatchObject({ code: 'bad_options', message: expect.stringContaining(says) })
  })
})

it('lists that are asked with a filter that nothing reads show nothing', async () => {
  const proviso = await open()
  const given = { tennant: 'acme' } as object
  for (const asked of [
    () => proviso.calls.list(given),
    () => proviso.approvals.list(given),
    () => proviso.approvals.grants(given),
    () => proviso.sagas.list(given),
    () => proviso.callAll([], {}, given),
  ])
    await expect(asked()).rejects.toMatchObject({ code: 'bad_options' })
  await expect(proviso.calls.list({ limit: -1 })).rejects.toThrow('limit is -1. Give a whole number from 1 to')
})

it('a Proviso that is closed answers nothing any more', async () => {
  const proviso = await openProviso({ tools: [tool()] })
  await proviso.close()
  const closed = { code: 'closed' }
  for (const asked of [
    () => proviso.call({ tool: 'pay_v1', arguments: {} }),
    () => proviso.callAll([]),
    () => proviso.surface(),
    () => proviso.calls.list(),
    () => proviso.approvals.list(),
    () => proviso.budgets.left(),
    () => proviso.recover(),
    () => proviso.versions.list(),
  ])
    await expect(asked()).rejects.toMatchObject(closed)
  expect(() => proviso.prepare([tool()])).toThrow('This Proviso is closed')
  expect(() => proviso.stream([])).toThrow('This Proviso is closed')
})
