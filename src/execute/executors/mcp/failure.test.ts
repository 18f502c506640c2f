import { describe, expect, it } from 'vitest'
import { failureOf } from './failure.ts'

const { signal } = new AbortController()
const effectOf = (code: number, message: string) =>
  failureOf({ error: Object.assign(new Error(message), { code }), sent: true }, signal).effect

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
