import { expect, it } from 'vitest'
import { copyOfResult } from './own-result.ts'

it('an object with more members than there is room for is not read', () => {
  let read = 0
  const keys = Array.from({ length: 100 }, (_, at) => `k${at}`)
  const record = new Proxy(
    {},
    {
      ownKeys: () => keys,
      getOwnPropertyDescriptor() {
        read++
        return { enumerable: true, configurable: true, value: 1 }
      },
    },
  )
  const { value } = copyOfResult([...Array.from({ length: 1_999_980 }, () => null), record])
  expect(() => JSON.stringify((value as readonly unknown[]).at(-1))).toThrow('threw while it was read')
  expect(read).toBe(0)
})
