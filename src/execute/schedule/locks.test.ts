import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LockGrant, LockMode, LockWant } from '../../contract/call/call-locks.ts'
import { systemEntropy } from '../../json/id.ts'
import { createLocks, type OpenLocks } from './locks.ts'

const want = (key: string, mode: LockMode = 'exclusive'): LockWant => ({ key, mode, resource: true })
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Asks, and tells whether the locks are there by now. */
function ask(locks: OpenLocks, wants: readonly LockWant[], signal?: AbortSignal) {
  const asked = locks.acquire(wants, signal)
  const seen: { grant: LockGrant | 'entangled' | undefined; over: boolean } = { grant: undefined, over: false }
  if (asked instanceof Promise)
    void asked.then((grant) => {
      seen.grant = grant
      seen.over = true
    })
  else {
    seen.grant = asked
    seen.over = true
  }
  return seen
}

describe('locks', () => {
  it('lets readers share and no reader overtake a writer [locks-serialize]', async () => {
    const locks = createLocks(systemEntropy)
    const [first, second, writer, late] = [locks.open(), locks.open(), locks.open(), locks.open()]
    expect(ask(first, [want('a', 'shared')]).grant).toMatchObject({ waited: false })
    expect(ask(second, [want('a', 'shared')]).grant).toMatchObject({ waited: false })
    const writing = ask(writer, [want('a')])
    const reading = ask(late, [want('a', 'shared')])
    first.release()
    await settled()
    expect([writing.over, reading.over]).toEqual([false, false])
    second.release()
    await settled()
    expect([writing.over, reading.over]).toEqual([true, false])
    writer.release()
    writer.release()
    await settled()
    expect(reading.grant).toMatchObject({ waited: true })
  })

  it('takes a waiter out of every queue when its caller goes away', async () => {
    const locks = createLocks(systemEntropy)
    const [holder, leaver, behind] = [locks.open(), locks.open(), locks.open()]
    ask(holder, [want('a')])
    const left = new AbortController()
    const leaving = ask(leaver, [want('a'), want('b')], left.signal)
    const next = ask(behind, [want('b')])
    left.abort()
    await settled()
    expect([leaving.over, leaving.grant, next.over]).toEqual([true, undefined, true])
  })

  it('names locks without showing what they stand for, and takes the stronger of two modes', () => {
    const [one, other] = [createLocks(systemEntropy), createLocks(systemEntropy)]
    const names = [one, one, other].map((locks) => {
      const open = locks.open()
      const { grant } = ask(open, [want('secret', 'shared'), want('secret')])
      open.release()
      return grant === 'entangled' ? undefined : grant?.locks
    })
    expect(names[0]).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{16}$/), mode: 'exclusive' }])
    expect(names[0]).toEqual(names[1])
    expect(names[0]).not.toEqual(names[2])
  })

  it('lets a call within another one work under its locks, one such call at a time [nested-calls-do-not-deadlock]', async () => {
    const locks = createLocks(systemEntropy)
    const outer = locks.open()
    ask(outer, [want('run')])
    const [one, two] = outer.enclose(() => [locks.open(), locks.open()])
    if (one === undefined || two === undefined) throw new Error('unreachable')
    const first = ask(one, [want('run')])
    const second = ask(two, [want('run')])
    const stranger = ask(locks.open(), [want('run')])
    expect([first.over, second.over]).toEqual([true, false])
    // In every order of their ends, no other call comes in before all of them have ended.
    outer.release()
    one.release()
    await settled()
    expect([second.over, stranger.over]).toEqual([true, false])
    const third = ask(
      two.enclose(() => locks.open()),
      [want('run')],
    )
    expect(third.over).toBe(true)
    two.release()
    await settled()
    expect(stranger.over).toBe(false)
  })

  it('tells a call that it would wait in a circle, and lets the others go on [nested-calls-do-not-deadlock]', async () => {
    const locks = createLocks(systemEntropy)
    const [left, right] = [locks.open(), locks.open()]
    ask(left, [want('a')])
    ask(right, [want('b')])
    const inLeft = left.enclose(() => locks.open())
    const inRight = right.enclose(() => locks.open())
    const waiting = ask(inLeft, [want('b')])
    expect(ask(inRight, [want('a')]).grant).toBe('entangled')
    inRight.release()
    right.release()
    await settled()
    expect(waiting.grant).toMatchObject({ waited: true })
    const reader = locks.open()
    ask(reader, [want('c', 'shared')])
    expect(
      ask(
        reader.enclose(() => locks.open()),
        [want('c')],
      ).grant,
    ).toBe('entangled')
  })

  it('grants what a naive reference grants, in every order of calls that come, go and end', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 3 }) },
      { weight: 2, arbitrary: fc.nat({ max: 30 }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const locks = createLocks(systemEntropy)
        const calls: { open: OpenLocks; seen: ReturnType<typeof ask>; leave: AbortController }[] = []
        const reference: { wants: ReadonlyMap<string, LockMode>; gone: boolean }[] = []
        for (const at of steps) {
          if (typeof at === 'number') {
            const index = calls.length === 0 ? -1 : at % calls.length
            const call = calls[index]
            const model = reference[index]
            if (call === undefined || model === undefined || model.gone) continue
            model.gone = true
            if (call.seen.over) call.open.release()
            else call.leave.abort()
          } else {
            const open = locks.open()
            const leave = new AbortController()
            const wants = at.map(([key, isShared]) => want(key, isShared ? 'shared' : 'exclusive'))
            const merged = new Map<string, LockMode>()
            for (const { key, mode } of wants) if (merged.get(key) !== 'exclusive') merged.set(key, mode)
            calls.push({ open, leave, seen: ask(open, wants, leave.signal) })
            reference.push({ wants: merged, gone: false })
          }
          await Promise.resolve()
          await Promise.resolve()
          for (const [index, model] of reference.entries()) {
            if (model.gone) continue
            const before = reference.slice(0, index).filter(({ gone }) => !gone)
            const free = [...model.wants].every(([key, mode]) =>
              before.every(({ wants }) => !wants.has(key) || (mode === 'shared' && wants.get(key) === 'shared')),
            )
            expect(calls[index]?.seen.over).toBe(free)
          }
        }
      }),
    )
  })
})
