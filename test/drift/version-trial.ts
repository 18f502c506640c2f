// A tool in several versions, each of which says which one it is.
import { type CallContext, defineTool, type Proviso, type ToolSource } from '../../src/index.ts'

type Extras = Partial<Pick<Parameters<typeof defineTool>[0], 'lifecycle' | 'effect' | 'name' | 'aliases' | 'roles'>>

/** Every execution, as `version argument`. */
export interface Trial {
  readonly ran: string[]
  version(version: string, extras?: Extras): ToolSource
}

export function trial(): Trial {
  const ran: string[] = []
  return {
    ran,
    version: (version, extras = {}) =>
      defineTool({
        name: 'order',
        effect: 'READ_ONLY',
        description: `Handles an order, as version ${version} does.`,
        version,
        input: {
          type: 'object',
          properties: { id: { type: 'string' }, ...(version.startsWith('2.') ? { note: { type: 'string' } } : {}) },
          required: ['id'],
          additionalProperties: false,
        },
        trusted: true,
        ...extras,
        execute: (args: { readonly id: string }) => {
          ran.push(`${version} ${args.id}`)
          return { version }
        },
      }),
  }
}

export const ann = { by: 'ann', why: 'The figures are good.' }

export const inRun = (run: string, more: CallContext = {}): CallContext => ({
  tenant: 'acme',
  user: 'ann',
  run,
  ...more,
})

let count = 0

/** The version that answers a new call. */
export async function versionOf(proviso: Proviso, context: CallContext, tool = 'order'): Promise<string> {
  const answer = await proviso.call({ tool, arguments: { id: 'o-1' }, callId: `call-${++count}` }, context)
  return answer.observation.result_payload.errors[0]?.code ?? answer.observation.tool_identity.version
}
