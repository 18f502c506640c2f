// A tool whose books are files, so that several processes see the same: for verifications that one process begins and another ends.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool, type ToolSource } from '../../src/index.ts'

/** `enter` off: what it is told to enter is not entered. */
export function fileTool(folder: string, delayMs: number): ToolSource {
  return defineTool({
    name: 'file_payment_v1',
    description: 'Enters one payment into a file.',
    effect: 'MEDIUM_RISK_WRITE',
    timeoutMs: 5_000,
    input: {
      type: 'object',
      properties: { id: { type: 'string' }, enter: { type: 'boolean' } },
      required: ['id', 'enter'],
      additionalProperties: false,
    },
    trusted: true,
    verify: {
      source: 'file',
      creates: true,
      target: { id: '/args/id' },
      read({ id }) {
        appendFileSync(join(folder, 'readings'), `${id}\n`)
        const path = join(folder, `${id}.json`)
        return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
      },
      expect: [
        { path: '/id', is: 'equals', from: '/args/id', about: 'target' },
        { path: '/key', is: 'equals', from: '/call/idempotency_key', about: 'key' },
        { path: '/by', is: 'equals', from: '/call/user', about: 'actor' },
      ],
    },
    verification: { delayMs },
    execute({ id, enter }, { idempotencyKey, user }) {
      if (enter) writeFileSync(join(folder, `${id}.json`), JSON.stringify({ id, key: idempotencyKey, by: user }))
      return { id }
    },
  })
}
