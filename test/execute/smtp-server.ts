// A small SMTP server over a socket: enough of RFC 5321 to take mail, to refuse recipients, and to break off at a chosen moment.

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { testCertificate, testKey } from './test-certificate.ts'

export interface TakenMail {
  readonly from: string
  readonly to: readonly string[]
  readonly data: string
}

export interface SmtpServer extends AsyncDisposable {
  readonly port: number
  readonly mails: readonly TakenMail[]
  readonly commands: readonly string[]
}

export interface SmtpBehaviour {
  readonly tls?: 'at once' | 'starttls'
  readonly login?: { readonly user: string; readonly pass: string }
  /** Recipients that are refused with 550. */
  readonly refuses?: readonly string[]
  /** Where it hangs up: before a command, or once it has the whole message. */
  readonly hangsUpAt?: 'greeting' | 'MAIL' | 'RCPT' | 'DATA' | 'message'
  /** What it answers to the whole message. */
  readonly verdict?: string
  /** What it answers to DATA. What comes next is the message to it only after 354; else each line is a command. */
  readonly goAhead?: string
}

export async function smtpServer(behaviour: SmtpBehaviour = {}): Promise<SmtpServer> {
  const mails: TakenMail[] = []
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (behaviour.hangsUpAt === 'greeting') socket.destroy()
    else if (behaviour.tls === 'at once') serve(secure(socket), true)
    else serve(socket, false)
  })

  function serve(socket: Socket, isSecure: boolean, isGreeted = false) {
    socket.on('error', () => undefined)
    const say = (line: string) => socket.write(`${line}\r\n`)
    if (!isGreeted) say('220 test.example ESMTP')
    let unread = ''
    let from = ''
    let to: string[] = []
    let isData = false
    const command = (line: string): void => {
      commands.push(line.startsWith('AUTH') ? 'AUTH' : line)
      const verb = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? ''
      if (verb === behaviour.hangsUpAt) return void socket.destroy()
      switch (verb) {
        case 'EHLO': {
          const words = ['test.example', 'PIPELINING', '8BITMIME']
          if (behaviour.tls === 'starttls' && !isSecure) words.push('STARTTLS')
          if (behaviour.login !== undefined) words.push('AUTH PLAIN')
          for (const [at, word] of words.entries()) say(`250${at === words.length - 1 ? ' ' : '-'}${word}`)
          return
        }
        case 'STARTTLS':
          if (behaviour.tls !== 'starttls') return void say('502 not here')
          say('220 go on')
          socket.removeAllListeners('data')
          return void serve(secure(socket), true, true)
        case 'AUTH': {
          const [, user, pass] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
            .toString()
            .split('\0')
          const isRight = user === behaviour.login?.user && pass === behaviour.login?.pass
          return void say(isRight ? '235 welcome' : '535 no')
        }
        case 'MAIL':
          from = addressIn(line)
          to = []
          return void say('250 ok')
        case 'RCPT': {
          const address = addressIn(line)
          if (behaviour.refuses?.includes(address)) return void say('550 no such user')
          to.push(address)
          return void say('250 ok')
        }
        case 'DATA':
          if (to.length === 0) return void say('554 no recipient')
          isData = (behaviour.goAhead ?? '354').startsWith('354')
          return void say(behaviour.goAhead ?? '354 go on')
        case 'QUIT':
          say('221 bye')
          return void socket.end()
        default:
          return void say('250 ok')
      }
    }
    socket.on('data', (chunk) => {
      unread += chunk.toString('latin1')
      for (;;) {
        const end = isData ? unread.indexOf('\r\n.\r\n') : unread.indexOf('\r\n')
        if (end === -1) return
        const piece = unread.slice(0, end)
        unread = unread.slice(end + (isData ? 5 : 2))
        if (!isData) command(piece)
        else {
          isData = false
          const data = `${piece}\r\n`.replaceAll('\r\n..', '\r\n.')
          if (behaviour.hangsUpAt === 'message') return void socket.destroy()
          if (behaviour.verdict === undefined) mails.push({ from, to, data })
          say(behaviour.verdict ?? '250 taken')
        }
      }
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    commands,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const secure = (socket: Socket): TLSSocket =>
  new TLSSocket(socket, {
    isServer: true,
    secureContext: createSecureContext({ cert: testCertificate, key: testKey }),
  })

const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ''
