// Tools of this side, and the surface of them, without anything around.

import type { Surface } from '../../src/contract/tool/surface.ts'
import { epochMs } from '../../src/json/clock.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { defineTool } from '../../src/runtime/define-tool.ts'
import { registerTool } from '../../src/runtime/register-tool.ts'
import { buildSurface } from '../../src/surface/build-surface.ts'

export const refundInput: JsonObject = {
  type: 'object',
  properties: {
    charge_id: { type: 'string', maxLength: 40 },
    amount: { type: 'integer', minimum: 1, maximum: 10_000 },
    reason: { type: 'string', enum: ['duplicate', 'fraud'] },
  },
  required: ['charge_id', 'amount'],
  additionalProperties: false,
}

export interface LocalTool {
  readonly name: string
  readonly input: JsonObject
  readonly deferred?: boolean
  readonly roles?: readonly string[]
}

export function surfaceOf(tools: readonly LocalTool[], blocked: ReadonlyMap<string, string> = new Map()): Surface {
  return buildSurface({
    tools: tools.map(({ name, input, deferred, roles }) =>
      registerTool(
        defineTool({
          name,
          description: 'A tool.',
          effect: 'READ_ONLY',
          input,
          execute: () => ({}),
          ...(deferred === undefined ? {} : { deferred }),
          ...(roles === undefined ? {} : { roles: [...roles] }),
        }),
        { ledger: 'ephemeral', programUsers: 'there' },
      ),
    ),
    principal: { user: 'ada', roles: [], scopes: [], agent: undefined },
    discovered: new Set(),
    blocked,
    now: epochMs(0),
  })
}
