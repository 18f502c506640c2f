import { describe, expect, it } from 'vitest'
import { ToolError, Withheld } from '../../../contract/fault.ts'
import { FetchError } from '../../egress/failure.ts'
import { callFailure } from './failure.ts'

const { signal } = new AbortController()
const effectOf = (code: number, message: string) =>
  callFailure(
    { error: Object.assign(new Error(message), { code }), sent: true, leftBefore: true, begun: false, modern: false },
    signal,
  ).effect

describe('an error of JSON-RPC', () => {
  it('that refuses the arguments says that the tool was not run', () => {
    expect(effectOf(-32602, 'Invalid arguments for tool charge')).toBe('none')
  })

  it.each([
    'MCP error -32602: Tool charge has an output schema but no structured content was provided',
    'MCP error -32602: Invalid structured content for tool charge: amount is required',
    'Output validation error: Tool charge has no amount',
  ])('that complains of what the tool returned does not: %s', (message) => {
    expect(effectOf(-32602, message)).toBe('unknown')
  })
})

describe('a request that was not sent', () => {
  const unsent = (code: string) => new FetchError(new ToolError(code, '', { effect: 'none' }))

  it.each([new Withheld(), unsent('withheld'), unsent('connect_failed')])('says that nothing was done: %s', (error) => {
    expect(callFailure({ error, sent: true, leftBefore: false, begun: false, modern: false }, signal).effect).toBe(
      'none',
    )
  })

  it.each([new Withheld(), unsent('withheld'), unsent('connect_failed')])(
    'says nothing of one of the same call that had left before: %s',
    (error) => {
      expect(callFailure({ error, sent: true, leftBefore: true, begun: false, modern: false }, signal).effect).toBe(
        'unknown',
      )
    },
  )
})
