// One tool in two versions that read null differently: to the first the note is to be cleared, to the second it is no note.
import { defineTool, type EffectClass, type ToolSource } from '../../src/index.ts'

export interface NullableVersions {
  /** Every execution: the version, and what it was given. */
  readonly ran: unknown[]
  readonly tools: readonly ToolSource[]
  /** As a model writes it that may leave nothing out. */
  readonly proposal: { readonly tool: string; readonly arguments: string; readonly callId: string }
}

/** The second version asks a person; the effect is that of the first. */
export function nullable(effect: EffectClass): NullableVersions {
  const ran: unknown[] = []
  const version = (name: string, own: EffectClass, note: { readonly type: string | readonly string[] }) =>
    defineTool({
      name: 'order',
      version: name,
      description: 'Handles an order.',
      effect: own,
      input: {
        type: 'object',
        properties: { id: { type: 'string' }, note },
        required: ['id'],
        additionalProperties: false,
      },
      execute: (args: unknown) => {
        ran.push([name, args])
        return {}
      },
    })
  return {
    ran,
    tools: [
      version('1.0.0', effect, { type: ['string', 'null'] }),
      version('2.0.0', 'HIGH_RISK_EXTERNAL', { type: 'string' }),
    ],
    proposal: { tool: 'order', arguments: '{"id":"o-1","note":null}', callId: 'c1' },
  }
}
