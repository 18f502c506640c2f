// Which server a tool belongs to, with its secrets filled in for one call. The same text and the same secrets are the same server: then a
// connection is shared, and never otherwise.

import { Fault, ToolError } from '../../../contract/fault.ts'
import type { Egress, ExecutorNames } from '../../../contract/tool/executor.ts'
import type { McpRevision } from '../../../contract/tool/executor-files/mcp-file.ts'
import { framing } from '../../../contract/tool/framing.ts'
import { canonicalize } from '../../../json/canonical.ts'
import { hashFields } from '../../../json/hash.ts'
import type { JsonValue } from '../../../json/value.ts'
import { namesArgument, namesIn, readTextTemplate, render } from '../text-template.ts'

export interface McpProgram {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[]
  /** The whole environment besides PATH. `{credential:name}` stands for a secret. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
  /** Whether it connects to other hosts: true by default. Where to cannot be watched; false is your own knowledge of it. */
  readonly network?: boolean | undefined
  /**
   * It keeps nothing of one call that another could meet, by your own knowledge of it. Then one process serves all tenants; otherwise each
   * tenant has its own.
   */
  readonly stateless?: boolean | undefined
  readonly revision?: McpRevision | undefined
}

export interface McpAddress {
  readonly url: string
  /** `{credential:name}` stands for a secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly revision?: McpRevision | undefined
}

export type McpServer = McpProgram | McpAddress

/** A server as it is to be connected to. */
export type RenderedServer =
  | {
      readonly kind: 'program'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string | undefined
      readonly stateless: boolean
      readonly revision: McpRevision
    }
  | {
      readonly kind: 'address'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly revision: McpRevision
    }

export type RenderServer = (credentials: ReadonlyMap<string, string>) => RenderedServer

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** What the protocol and the connection set themselves. */
const ownHeaders: ReadonlySet<string> = new Set([...framing, 'accept', 'content-type'])

/** Throws a Fault where the server cannot be one. */
export function readServer(server: McpServer): RenderServer {
  if ('url' in server) return readAddress(server)
  const { command, env = {}, cwd, stateless = false, revision = '2025' } = server
  if (typeof stateless !== 'boolean') throw refused('stateless is true or false.')
  const [program = '', ...args] = command
  if (program === '' || command.some((part) => typeof part !== 'string' || part.includes('\0')))
    throw refused('A server needs a program to start: command is a list of texts without NUL.')
  const fill = readTemplates(env, 'env')
  if (Object.keys(env).some((name) => name === '' || /[=\0]/.test(name))) throw refused('env has a name that is none.')
  return (credentials) => ({
    kind: 'program',
    command: program,
    args,
    env: fill(credentials),
    cwd,
    stateless,
    revision,
  })
}

function readAddress(address: McpAddress): RenderServer {
  const { url, headers = {}, revision = 'auto' } = address
  if ('stateless' in address)
    throw refused('stateless is said of a program. A server over HTTP says by itself whether it keeps a session.')
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.hash !== '')
    throw refused('A server is found by a URL such as https://mcp.example.com/mcp.')
  if (parsed.username !== '' || parsed.password !== '')
    throw refused('The URL of a server is without a user and a password in it; credentials go into headers.')
  for (const name of Object.keys(headers)) {
    const isOwn = ownHeaders.has(name.toLowerCase()) || name.toLowerCase().startsWith('mcp-')
    if (!headerName.test(name)) throw refused(`${name.slice(0, 64)} names no header.`)
    if (isOwn) throw refused(`The header ${name} is not for a binding to set.`)
  }
  const fill = readTemplates(headers, 'headers')
  return (credentials) => ({ kind: 'address', url: parsed.href, headers: fill(credentials), revision })
}

/** The arguments of a call are the server's to read; of a binding only its secrets are named. */
export const serverNames = (server: McpServer): ExecutorNames => {
  const texts = ('url' in server ? server.headers : server.env) ?? {}
  return namesIn(Object.entries(texts).map(([name, text]) => readTextTemplate(text, name)))
}

type Texts = Readonly<Record<string, string>>

/** No argument can stand in them: they belong to the server, not to a call. */
function readTemplates(texts: Texts, what: string): (credentials: ReadonlyMap<string, string>) => Texts {
  const templates = Object.entries(texts).map(([name, text]) => [name, readTextTemplate(text, what)] as const)
  if (templates.some(([, template]) => namesArgument(template)))
    throw refused(`${what} can name credentials and no arguments: one connection serves many calls.`)
  return (credentials) =>
    Object.fromEntries(
      templates.map(([name, template]) => [name, render(template, { args: {}, credentials }, oneLine)]),
    )
}

/** One line of text: a line break in a secret would be a second header line, or a second variable. */
function oneLine(secret: string): string {
  if (!/[\r\n\0]/.test(secret)) return secret
  throw new ToolError('credential_unusable', 'A credential holds a line break. Nothing was sent.', {
    effect: 'none',
    class: 'DEPENDENCY_UNAVAILABLE',
  })
}

export interface SharedBy {
  readonly server: RenderedServer
  readonly egress: Egress
  readonly maxBytes: number
  /** Questions to people are answered: a server is told so when it is connected to. */
  readonly elicits: boolean
  /** For a server that may keep something of its callers: it is shared within one tenant alone. */
  readonly tenant: string | undefined
}

/** What shares a connection has the same one. No secret can be read from it. */
export function serverKey({ server, egress, maxBytes, elicits, tenant = '' }: SharedBy): string {
  const parts = server.kind === 'program' ? [server] : [server, egress]
  const text = canonicalize(JSON.parse(JSON.stringify(parts)) as JsonValue)
  return hashFields('mcp-server', [text, String(maxBytes), String(elicits), tenant])
}

const refused = (message: string): Fault => new Fault('bad_options', message)
