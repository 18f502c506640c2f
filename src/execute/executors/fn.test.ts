import { describe, expect, it } from 'vitest'
import type { ExecutionContext } from '../../contract/tool/executor.ts'
import { defineTool } from '../../runtime/define-tool.ts'
import { openProviso } from '../../runtime/open-proviso.ts'
import { fn } from './fn.ts'

const parts: unknown[] = []
const controller = new AbortController()
const context = {
  signal: controller.signal,
  mayAct: () => true,
  partial: (value: unknown) => parts.push(value),
} as unknown as ExecutionContext

const input = { type: 'object', additionalProperties: false } as const

describe('a function', () => {
  it('that is a generator shows what it yields and returns what it returns', async () => {
    parts.length = 0
    const list = function* () {
      yield 'one'
      yield Promise.resolve('two')
      return ['one', 'two']
    }
    expect(await fn(list).run({}, context)).toEqual(['one', 'two'])
    const stream = async function* () {
      yield 3
      return 'all'
    }
    expect(await fn(stream).run({}, context)).toBe('all')
    expect(parts).toEqual(['one', 'two', 3])
  })

  it('that returns something else to iterate over returns just that', async () => {
    expect(await fn(() => ['a']).run({}, context)).toEqual(['a'])
    expect(await fn(() => new Set(['a'])).run({}, context)).toEqual(new Set(['a']))
  })

  it('that returns what cannot be looked at returns it all the same', async () => {
    const hostile = new Proxy(
      {},
      {
        get(_target, key) {
          if (key === 'then') return undefined
          throw new Error('no')
        },
      },
    )
    expect((await fn(() => hostile).run({}, context)) === hostile).toBe(true)
  })

  it('that is a generator is ended when its caller goes away', async () => {
    let cleaned = false
    const endless = async function* () {
      try {
        for (;;) {
          controller.abort(new Error('gone'))
          yield 'more'
        }
      } finally {
        cleaned = true
      }
    }
    await expect(Promise.resolve(fn(endless).run({}, context))).rejects.toThrow('gone')
    expect(cleaned).toBe(true)
  })

  it('shows its progress and its parts to the host, and answers with its result [functions-show-their-parts] [EP-15]', async () => {
    const told: unknown[] = []
    const tool = defineTool({
      name: 'read_pages_v1',
      description: 'Reads pages.',
      effect: 'READ_ONLY',
      input,
      async *execute(_args, { progress }) {
        progress('halfway')
        yield { page: 1 }
        return { pages: 2 }
      },
    })
    const proviso = await openProviso({ tools: [tool], onProgress: (progress) => told.push(progress) })
    const answer = await proviso.call({ tool: 'read_pages_v1', arguments: {} })
    expect(answer.value).toEqual({ pages: 2 })
    expect(told).toMatchObject([
      { event: 'progress', text: 'halfway', tool: 'read_pages_v1' },
      { event: 'partial_result', value: { page: 1 } },
    ])
    await proviso.close()
  })

  it('has its executor closed with the Proviso, once, also where another one fails to close', async () => {
    const closed: string[] = []
    const faults: unknown[] = []
    const executor = (name: string) => ({
      ...fn(() => name),
      close: () => {
        closed.push(name)
        if (name === 'bad') throw new Error('cannot close')
      },
    })
    const tool = (name: string, version: string) =>
      defineTool({
        name: `${name}_${version}`,
        description: 'Says its name.',
        effect: 'READ_ONLY',
        input,
        executor: executor(name),
      })
    const proviso = await openProviso({
      tools: [tool('bad', 'v1'), tool('good', 'v1')],
      onFault: (fault) => faults.push(fault),
    })
    proviso.prepare([tool('later', 'v1')])
    await proviso.close()
    expect(closed.toSorted()).toEqual(['bad', 'good', 'later'])
    expect(faults).toHaveLength(1)
  })
})
