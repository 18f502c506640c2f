import { expect, it } from 'vitest'
import { createGate } from './gate.ts'

const deferred = () => Promise.withResolvers<string>()

it('closes once all that was asked before has come to its end, also what that asked for', async () => {
  const gate = createGate()
  const [first, second] = [deferred(), deferred()]
  const desk = gate.guard({
    name: 'desk',
    inner: { ask: () => first.promise.then((said) => gate.track(second.promise).then((more) => said + more)) },
  })
  const asked = desk.inner.ask()
  const ended: string[] = []
  const closing = gate.close().then(() => ended.push('closed'))
  void asked.then((said) => ended.push(said))
  first.resolve('a')
  await new Promise(setImmediate)
  expect([desk.name, ended]).toEqual(['desk', []])
  second.resolve('b')
  await closing
  expect(ended).toEqual(['ab', 'closed'])
})

it('refuses what comes later, and lets failures of what came before through', async () => {
  const gate = createGate()
  const { promise, reject } = deferred()
  const desk = gate.guard({ ask: () => promise })
  const asked = desk.ask()
  const closing = gate.close()
  await expect(desk.ask()).rejects.toMatchObject({ code: 'closed' })
  expect(() => gate.check()).toThrow('This Proviso is closed')
  reject(new Error('It failed.'))
  await expect(asked).rejects.toThrow('It failed.')
  await closing
})
