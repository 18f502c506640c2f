import { expect, it } from 'vitest'
import { createDoor } from './door.ts'

const deferred = () => Promise.withResolvers<string>()

it('closes once all that was asked before has come to its end, also what that asked for', async () => {
  const door = createDoor()
  const [first, second] = [deferred(), deferred()]
  const desk = door.guard({
    name: 'desk',
    inner: { ask: () => first.promise.then((said) => door.track(second.promise).then((more) => said + more)) },
  })
  const asked = desk.inner.ask()
  const ended: string[] = []
  const closing = door.close().then(() => ended.push('closed'))
  void asked.then((said) => ended.push(said))
  first.resolve('a')
  await new Promise(setImmediate)
  expect([desk.name, ended]).toEqual(['desk', []])
  second.resolve('b')
  await closing
  expect(ended).toEqual(['ab', 'closed'])
})

it('refuses what comes later, and lets failures of what came before through', async () => {
  const door = createDoor()
  const { promise, reject } = deferred()
  const desk = door.guard({ ask: () => promise })
  const asked = desk.ask()
  const closing = door.close()
  await expect(desk.ask()).rejects.toMatchObject({ code: 'closed' })
  expect(() => door.check()).toThrow('This Proviso is closed')
  reject(new Error('It failed.'))
  await expect(asked).rejects.toThrow('It failed.')
  await closing
})
