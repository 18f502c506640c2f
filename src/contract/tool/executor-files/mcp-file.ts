// The mcp executor as a tool file declares it: one tool of one server.
import type { JsonObject } from '../../../json/value.ts'
import { choice, closed, count, flag, text, texts } from '../../closed-schema.ts'

/** How the two sides agree on a revision: the handshake of 2025, the stateless revision of 2026, or the one that the server offers. */
export const mcpRevisions = ['2025', '2026-07-28', 'auto'] as const

export type McpRevision = (typeof mcpRevisions)[number]

export interface McpFile {
  readonly kind: 'mcp'
  readonly server:
    | {
        readonly command: readonly string[]
        readonly env?: Readonly<Record<string, string>>
        readonly cwd?: string
        readonly network?: boolean
        readonly stateless?: boolean
        readonly revision?: McpRevision
      }
    | {
        readonly url: string
        readonly headers?: Readonly<Record<string, string>>
        readonly revision?: McpRevision
      }
  readonly tool: string
  readonly server_name?: string
  readonly key_meta?: string
  readonly reads_only?: boolean
  readonly without_effect?: readonly string[]
  readonly max_response_bytes?: number
  readonly max_content_bytes?: number
  readonly pin?: string
  readonly version?: string
}

const secrets = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
})

const revision = choice(
  'Which revision of the protocol is spoken. auto asks first; it is the default over HTTP, and 2025 on standard input and output.',
  mcpRevisions,
)

export const mcpFileSchema: JsonObject = closed(
  'A tool of an MCP server.',
  {
    kind: choice('A tool of an MCP server.', ['mcp']),
    server: {
      description: 'The server. Tools that name the same one share a connection.',
      anyOf: [
        closed(
          'A program that speaks on its standard input and output.',
          {
            command: { ...texts('The program and its arguments; no shell reads them.'), minItems: 1 },
            env: secrets('Its environment, besides PATH; {credential:name} stands for a secret.'),
            cwd: text('Where it runs, relative to this file.'),
            network: flag(
              'It connects to others, as is taken for granted. Where to cannot be watched: the contract has to say unrestricted_with_approval. False is your own word that it connects to no other host.',
            ),
            stateless: flag(
              'It keeps nothing of one call that another could meet, by your own knowledge of it: one process serves all tenants. Otherwise each tenant has its own.',
            ),
            revision,
          },
          ['command'],
        ),
        closed(
          'A server over streamable HTTP.',
          {
            url: text('Where it is; the egress policy must allow it.'),
            headers: secrets('Header lines; {credential:name} stands for a secret.'),
            revision,
          },
          ['url'],
        ),
      ],
    },
    tool: text('The name of the tool at the server.'),
    server_name: text('What the server must call itself; another one is not used.'),
    key_meta: text('The key of _meta in which the server takes the idempotency key.'),
    reads_only: flag('The tool only reads, by your own knowledge of it: what the server says of itself is not taken.'),
    without_effect: texts('Error codes with which this server says that nothing was done, such as mcp_tool_error.'),
    max_response_bytes: count('A longer answer is refused; 10 MiB by default.', 1_024),
    max_content_bytes: count('Longer images, sounds and files are left out, and that is said; 1 MiB by default.', 0),
    pin: {
      ...text(
        'The name under which what the server publishes is pinned; only what a person approved of the tool is called.',
      ),
      minLength: 1,
    },
    version: text('Which version of this binding it is; an approval is given for one.'),
  },
  ['kind', 'server', 'tool'],
)
