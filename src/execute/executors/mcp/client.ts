// A client of the SDK on a watched transport: what calls go through, and what lists of tools are asked for with.
import type { Client, ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Egress } from '../../../contract/tool/executor.ts'
import type { JsonObject } from '../../../json/value.ts'
import { elicitationCapability } from './elicit.ts'
import type { RenderedServer } from './server.ts'
import { modeOf, tooLargeAnswer, transportTo } from './transport.ts'
import { type Watch, watchTransport } from './watch.ts'

/** A schema that takes anything: what a server sends is read by hand, and not by what the SDK expects of it. */
export const anyResult = {
  '~standard': { version: 1, vendor: 'proviso', validate: (value: unknown) => ({ value }) },
} as const

export interface ClientInput {
  readonly server: RenderedServer
  readonly egress: Egress
  readonly maxBytes: number
  readonly capabilities: JsonObject
  readonly timeoutMs: number
  readonly onClose?: () => void
  readonly onListChanged?: () => void
}

export interface OpenClient {
  readonly client: Client
  readonly watch: Watch
  /** Over HTTP alone. */
  readonly http: StreamableHTTPClientTransport | undefined
  /** The stateless revision of 2026 is spoken. */
  readonly modern: boolean
}

/** The word of the SDK for it. */
const tooMuch = /^ReadBuffer exceeded maximum size/

export async function openClient(input: ClientInput): Promise<OpenClient> {
  const { server, egress, maxBytes, capabilities, timeoutMs, onClose, onListChanged } = input
  const { Client } = await import('@modelcontextprotocol/client')
  const { transport, http } = await transportTo(server, egress, maxBytes)
  const client = new Client(
    { name: 'proviso', version: '1' },
    { capabilities: { ...capabilities }, versionNegotiation: { mode: modeOf(server) } },
  )
  client.onclose = () => onClose?.()
  // An error of a call rejects that call; stray messages of a server belong to no call.
  client.onerror = ({ message }) => {
    // A program that says too much is ended, and with it every call that waits for it.
    if (tooMuch.test(message)) for (const call of watch.calls.values()) call.tooLarge = tooLargeAnswer(maxBytes)
  }
  const watch = watchTransport(transport)
  if ('elicitation' in capabilities && capabilities.elicitation === elicitationCapability.elicitation)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const elicit = watch.askedFor()?.elicit
      // A question that belongs to no call, or to one of several, is not shown to a person of another one.
      const answer = await elicit?.(params)
      return (answer ?? { action: 'cancel' }) as ElicitResult
    })
  try {
    await client.connect(transport, { timeout: timeoutMs })
  } catch (error) {
    // Why it could not be opened is worth more than that it could not be closed either.
    await transport.close().catch(() => undefined)
    throw error
  }
  const modern = client.getProtocolEra() === 'modern'
  watch.begin(modern, () => onListChanged?.())
  return { client, watch, http, modern }
}
