// A live send by SMTP, over a connection to a checked address. Until the end of the message is on its way nothing was sent; after that
// only the server's own refusal proves that nothing was. So the last moment to ask is before that end, and a connection that is cut instead
// leaves the server with a message it must not deliver.
import { connect, type LookupFunction, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { ToolError, Withheld } from '../../../contract/fault.ts'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { type FoundRoute, type Network, pinned, routeOrError, systemNetwork } from '../../egress/allowed-host.ts'
import { loadPeer } from './compose.ts'

export interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls' | 'none'
  readonly login: { readonly user: string; readonly pass: string } | undefined
}

export interface Envelope {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Buffer
}

export interface Delivery {
  readonly accepted: readonly string[]
  readonly rejected: readonly { readonly address: string; readonly code: string }[]
}

interface SendingTerms {
  readonly egress: ExecutionContext['egress']
  readonly signal: AbortSignal
  readonly mayAct: ExecutionContext['mayAct']
  readonly network: Partial<Network>
}

export async function sendMail(server: SmtpServer, envelope: Envelope, terms: SendingTerms): Promise<Delivery> {
  const { default: SmtpConnection } = await loadPeer(() => import('nodemailer/lib/smtp-connection'))
  const route = await routeOrError(
    { host: server.host, port: server.port, encrypted: server.security !== 'none', usualPorts: [] },
    terms.egress,
    terms.network.resolve ?? systemNetwork.resolve,
  )
  const socket = await dial(route, server.port, terms.signal)
  const connection = new SmtpConnection({
    host: route.name,
    port: server.port,
    connection: socket,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    ignoreTLS: server.security === 'none',
    name: 'proviso.invalid',
    logger: false,
    tls: {
      servername: route.name,
      rejectUnauthorized: true,
      ...(terms.network.ca === undefined ? {} : { ca: terms.network.ca }),
    },
  })
  const progress: { dotSent: boolean; stopped: Error | undefined } = { dotSent: false, stopped: undefined }
  const abort = () => connection.close()
  terms.signal.addEventListener('abort', abort, { once: true })
  try {
    return await new Promise<Delivery>((resolve, reject) => {
      const fail = (error: Error) => reject(progress.stopped ?? smtpFailure(error, progress.dotSent))
      connection.on('error', fail)
      connection.once('end', () => fail(new Error('The server closed the connection.')))
      // The driver goes on after any answer to DATA that begins with 2 or 3.
      const begin = () => {
        if (replyCode(connection.lastServerResponse || '') !== goAhead) throw stop(notAskedFor())
      }
      const ask = () => {
        if (!terms.mayAct()) throw stop(new Withheld())
      }
      const stop = (error: Error): Error => {
        progress.stopped = error
        // The driver writes its own code into what it is thrown.
        return new Error('The message is not sent.')
      }
      const cutOff = () => socket.destroy()
      const send = () => {
        if (!terms.mayAct()) return reject(new Withheld())
        connection.send(
          { from: envelope.from, to: [...envelope.to], size: envelope.raw.byteLength },
          Readable.from(untilRead(envelope.raw, progress, begin, ask)).once('error', cutOff),
          (error, info) => {
            if (error !== null) fail(error)
            else if (isTaken(info.response)) resolve(deliveryOf(info))
            else fail(new Error('The answer to the message is none of SMTP.'))
          },
        )
      }
      connection.connect((problem) => {
        if (problem !== undefined && problem !== null) return fail(problem)
        if (server.login === undefined) return send()
        connection.login(server.login, (refusal) => (refusal === null ? send() : fail(refusal)))
      })
    })
  } finally {
    terms.signal.removeEventListener('abort', abort)
    // A late error of the server changes nothing, and must not end the process for lack of a listener.
    connection.on('error', () => undefined)
    connection.quit()
    setTimeout(abort, quitMs).unref()
  }
}

const quitMs = 1_000

const pieceBytes = 16_384

/**
 * The message, noting when all of it was taken: the line that ends it is written only then. It is first read once DATA was answered. `begin`
 * throws where the answer does not ask for it: to such a server each of its lines would be a command. `ask` throws where it is not to go on.
 */
function* untilRead(
  raw: Buffer,
  progress: { dotSent: boolean },
  begin: () => void,
  ask: () => void,
): Generator<Buffer> {
  begin()
  for (let at = 0; at < raw.length; at += pieceBytes) {
    ask()
    yield raw.subarray(at, at + pieceBytes)
  }
  ask()
  progress.dotSent = true
}

function dial(route: FoundRoute, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const lookup: LookupFunction = pinned(route.addresses)
    const socket = connect({ host: route.name, port, lookup, autoSelectFamily: route.addresses.length > 1, signal })
    const fail = () =>
      reject(
        new ToolError('connect_failed', `${route.name} cannot be connected to.`, {
          effect: 'none',
          class: 'DEPENDENCY_UNAVAILABLE',
        }),
      )
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

interface SmtpProblem {
  readonly code?: string
  readonly response?: string
  readonly responseCode?: number
}

const goAhead = 354

const notAskedFor = () =>
  new ToolError('smtp_data_refused', 'The mail server did not ask for the message. Nothing of it was sent.', {
    effect: 'none',
    class: 'DEPENDENCY_UNAVAILABLE',
  })

function smtpFailure(error: Error, dotSent: boolean): ToolError {
  const { code, response = '', responseCode = 0 } = error as Error & SmtpProblem
  const isRefusal = responseCode >= 400 && responseCode < 600 && !(dotSent && replyCode(response) !== responseCode)
  // The one answer to the message may refuse it (RFC 5321, 4.2.1). After all else it may have been taken.
  const effect = dotSent && !(isRefusal && code === 'EMESSAGE') ? 'unknown' : 'none'
  if (code === 'EAUTH')
    return new ToolError('smtp_login_refused', 'The mail server did not accept the credentials.', {
      effect: 'none',
      class: 'PERMISSION_DENIED',
    })
  if (!isRefusal)
    return new ToolError('connection_lost', 'The connection to the mail server was lost.', {
      effect,
      class: 'DEPENDENCY_UNAVAILABLE',
    })
  // 4xx: later perhaps; 5xx: not like this.
  return new ToolError(`smtp_${responseCode}`, `The mail server refused the mail with ${responseCode}.`, {
    effect,
    class: responseCode < 500 ? 'DEPENDENCY_UNAVAILABLE' : 'SEMANTIC_INVALIDITY',
  })
}

/** The code of three digits that every line has (RFC 5321, 4.2.1): what only begins like one, or has two codes, says nothing. */
function replyCode(response: string): number | undefined {
  const lines = response.split('\n')
  const code = lines[0]?.slice(0, 3) ?? ''
  const isOne = lines.every((line) => line.startsWith(code) && /^[0-9]{3}(?:[ -]|$)/.test(line))
  return isOne ? Number(code) : undefined
}

const isTaken = (response = ''): boolean => {
  const code = replyCode(response) ?? 0
  return code >= 200 && code < 300
}

interface Info {
  /** What the server answered to the message. */
  readonly response?: string | undefined
  readonly accepted?: readonly unknown[] | undefined
  readonly rejected?: readonly unknown[] | undefined
  readonly rejectedErrors?:
    | readonly { readonly recipient?: string | undefined; readonly responseCode?: number | undefined }[]
    | undefined
}

function deliveryOf(info: Info): Delivery {
  const codes = new Map((info.rejectedErrors ?? []).map(({ recipient, responseCode }) => [recipient, responseCode]))
  return {
    accepted: (info.accepted ?? []).map(String),
    rejected: (info.rejected ?? []).map((address) => ({
      address: String(address),
      code: `smtp_${codes.get(String(address)) ?? 'refused'}`,
    })),
  }
}
