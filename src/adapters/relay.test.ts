import { expect, it } from 'vitest'
import { relay } from './relay.ts'

async function collect(work: Parameters<typeof relay>[0]): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const value of relay(work)) values.push(value)
  return values
}

it('hands on every value in order and does not repeat the last one', async () => {
  const values = await collect(async (emit) => {
    emit(1)
    emit(undefined)
    await Promise.resolve()
    emit(3)
    return 3
  })
  expect(values).toEqual([1, undefined, 3])
})

it('ends with the result where it is another value, or the only one', async () => {
  const values = await collect(async (emit) => {
    emit(1)
    return 'refused'
  })
  expect(values).toEqual([1, 'refused'])
  expect(await collect(async () => undefined)).toEqual([undefined])
})

it('hands on what came before a failure, and then fails', async () => {
  const values: unknown[] = []
  const failing = async () => {
    for await (const value of relay(async (emit) => {
      emit(1)
      throw new Error('gone')
    })) {
      values.push(value)
    }
  }
  await expect(failing()).rejects.toThrow('gone')
  expect(values).toEqual([1])
})
