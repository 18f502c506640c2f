import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { compareWhenRead } from './may-act.ts'

/** A signal whose time is over when told so, and which nothing but a reading aborts. */
function timedSignal() {
  const controller = new AbortController()
  let over = false
  compareWhenRead(controller.signal, () => {
    if (over) controller.abort(new Error('too late'))
  })
  return { controller, signal: controller.signal, pass: () => (over = true) }
}

describe('a signal that compares the time', () => {
  it('is aborted when it is read, and tells its listeners [signal-compares-time]', () => {
    const { signal, pass } = timedSignal()
    const heard: unknown[] = []
    signal.addEventListener('abort', () => heard.push(signal.reason))
    expect([signal.aborted, heard.length]).toEqual([false, 0])
    expect(() => signal.throwIfAborted()).not.toThrow()
    pass()
    expect(signal.aborted).toBe(true)
    expect(signal.aborted).toBe(true)
    expect(heard).toEqual([new Error('too late')])
    expect(() => signal.throwIfAborted()).toThrow('too late')
  })

  it('throws at once where it was not read before [signal-compares-time]', () => {
    const { signal, pass } = timedSignal()
    pass()
    expect(() => signal.throwIfAborted()).toThrow('too late')
  })

  it("is the platform's own in every respect", () => {
    const { controller, signal } = timedSignal()
    expect(signal).toBeInstanceOf(AbortSignal)
    expect([signal.constructor, Object.prototype.toString.call(signal)]).toEqual([AbortSignal, '[object AbortSignal]'])
    expect(Object.getPrototypeOf(signal).constructor.name).toBe('AbortSignal')
    expect(controller.signal).toBe(signal)
    expect('aborted' in signal).toBe(true)
  })

  it('aborts what is derived from it', async () => {
    const { signal, pass } = timedSignal()
    const derived = AbortSignal.any([signal, new AbortController().signal])
    const heard = once(derived, 'abort')
    pass()
    expect(signal.aborted).toBe(true)
    await heard
    expect([derived.aborted, derived.reason]).toEqual([true, new Error('too late')])
    expect(AbortSignal.any([signal]).aborted).toBe(true)
  })

  it('that was not read is compared by work that begins with it', async () => {
    const late = () => {
      const { signal, pass } = timedSignal()
      pass()
      return signal
    }
    await expect(sleep(10_000, undefined, { signal: late() })).rejects.toThrow('aborted')
    await expect(promisify(execFile)(process.execPath, ['-v'], { signal: late() })).rejects.toThrow('aborted')
    await expect(fetch('http://127.0.0.1:9/', { signal: late() })).rejects.toThrow('too late')
    expect(AbortSignal.any([late()]).aborted).toBe(true)
    expect(new Request('http://127.0.0.1:9/', { signal: late() }).signal.aborted).toBe(true)
    expect(() => new EventTarget().addEventListener('x', () => undefined, { signal: late() })).not.toThrow()
  })
})
