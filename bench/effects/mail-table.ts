// What may come back from a mail server: at each stage any answer, cut, late or none. Before it has the whole message it can deliver none.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { email } from '../../src/public/executors.ts'
import type { Deed, EffectCase, EffectRow, EffectTable } from './effect-table.ts'

const stages = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'message'] as const
type StageName = (typeof stages)[number]

interface MailPlay {
  readonly at: StageName
  readonly answer: string
  /** What it does with the connection then. */
  readonly leaves?: 'open' | 'end' | 'reset'
}

const usual: Readonly<Record<StageName, string>> = {
  greeting: '220 test.example ESMTP\r\n',
  EHLO: '250-test.example\r\n250 8BITMIME\r\n',
  MAIL: '250 ok\r\n',
  RCPT: '250 ok\r\n',
  DATA: '354 go on\r\n',
  message: '250 taken\r\n',
}

export const mailTable: EffectTable = {
  executor: 'email',
  async open() {
    let play: MailPlay = { at: 'message', answer: usual.message }
    let deed: Deed = 'left'
    let seen = 0
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
      const answer = (stage: StageName) => {
        if (stage === 'message' && deed === 'done') seen++
        const isIt = stage === play.at
        const leave = () => {
          if (isIt && play.leaves === 'end') socket.end()
          if (isIt && play.leaves === 'reset') setImmediate(() => socket.resetAndDestroy())
        }
        const text = isIt ? play.answer : usual[stage]
        if (text === '') leave()
        else socket.write(text, 'latin1', leave)
      }
      let unread = ''
      let inMessage = false
      socket.on('data', (chunk) => {
        unread += chunk.toString('latin1')
        for (;;) {
          const mark = inMessage ? '\r\n.\r\n' : '\r\n'
          const end = unread.indexOf(mark)
          if (end === -1) return
          const verb = unread.slice(0, 4)
          unread = unread.slice(end + mark.length)
          if (inMessage) {
            inMessage = false
            answer('message')
          } else if (verb === 'QUIT') socket.end('221 bye\r\n')
          else {
            inMessage = verb === 'DATA' && (play.at !== 'DATA' || /^354(?: |\r)/.test(play.answer))
            const stage = stages.find((name) => name === verb)
            if (stage === undefined) socket.write('250 ok\r\n')
            else answer(stage)
          }
        }
      })
      answer('greeting')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const executor = email({
      from: 'billing@kestrel.example',
      to: 'ann@example.com',
      subject: 'Hello',
      text: 'Hello',
      recipients: ['example.com'],
      smtp: {
        host: 'mail.proviso.test',
        port,
        security: 'none',
        network: { resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
      },
    })
    const caseOf = (given: MailPlay): EffectCase => ({
      name: `${given.at}: ${JSON.stringify(given.answer.slice(0, 40))}, left ${given.leaves ?? 'open'}`,
      executor,
      // A server that says nothing more is waited for until the end of the call.
      timeoutMs: waits(given) ? 300 : 5_000,
      arrange(does) {
        play = given
        deed = does
        seen = 0
      },
    })
    return {
      ports: [port],
      rows: rowsOf(caseOf),
      seen: () => seen,
      async close() {
        for (const socket of sockets) socket.destroy()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  },
}

/** Whether more has to come, and nothing will: no line of an answer has ended, or its last one says that another follows. */
const waits = ({ answer, leaves = 'open' }: MailPlay) =>
  leaves === 'open' && (!answer.endsWith('\r\n') || /(?:^|\n)\d{3}-[^\n]*\r\n$/.test(answer))

const noise = [
  'hello\r\n',
  '2\r\n',
  '25\r\n',
  '2hello\r\n',
  '2500 taken\r\n',
  '\r\n',
  '\0\0\0\r\n',
  'HTTP/1.1 200 OK\r\n\r\n',
]

function rowsOf(caseOf: (play: MailPlay) => EffectCase): readonly EffectRow[] {
  const coded = (at: StageName, from: number, to: number, step = 1) =>
    Array.from({ length: Math.ceil((to - from) / step) }, (_, index) =>
      caseOf({ at, answer: `${from + index * step} word\r\n` }),
    )
  const cut = (at: StageName, answer: string) =>
    Array.from({ length: answer.length }, (_, end) =>
      (['end', 'reset'] as const).map((leaves) => caseOf({ at, answer: answer.slice(0, end), leaves })),
    ).flat()
  const early = stages.filter((stage) => stage !== 'message')
  return [
    {
      came: 'any answer that ends it before the message was sent',
      effect: 'none',
      because: 'RFC 5321, 3.3: mail is what stands between DATA and its end',
      cases: () =>
        early.flatMap((at) => [
          // A client that is refused EHLO says HELO.
          ...(at === 'EHLO' ? [] : coded(at, 400, 600, 9)),
          ...cut(at, usual[at]),
          caseOf({ at, answer: '' }),
          caseOf({ at, answer: '421 closing\r\n', leaves: 'end' }),
        ]),
    },
    {
      came: 'an answer to DATA that does not ask for the message',
      effect: 'none',
      because: 'RFC 5321, 4.1.1.4: the message is what follows 354, and no other answer',
      cases: () => [
        ...coded('DATA', 200, 300, 7),
        ...coded('DATA', 300, 400).filter(({ name }) => !name.includes('354')),
        ...['3540 go on\r\n', '250-ok\r\n354 go on\r\n', '354-go\r\n250 ok\r\n', '354-go\r\n550 no\r\n'].map((answer) =>
          caseOf({ at: 'DATA', answer }),
        ),
      ],
    },
    {
      came: 'a refusal of the message',
      effect: 'none',
      because: 'RFC 5321, 4.2.1: the requested action did not occur',
      cases: () => [
        ...coded('message', 400, 600),
        caseOf({ at: 'message', answer: '550-no\r\n550 never\r\n' }),
        caseOf({ at: 'message', answer: '554 no\r\n', leaves: 'end' }),
      ],
    },
    {
      came: 'a word that the message was taken',
      effect: 'happened',
      because: 'RFC 5321, 4.2.1: the requested action was completed',
      cases: () => [...coded('message', 200, 300), caseOf({ at: 'message', answer: '250-taken\r\n250 as 7\r\n' })],
    },
    {
      came: 'another answer to the message, or none',
      effect: 'unknown',
      cases: () => [
        ...[
          '550-no\r\n250 taken\r\n',
          '550-no\r\n451 later\r\n',
          '250-taken\r\n550 no\r\n',
          '550-no\r\n2500 taken\r\n',
        ].map((answer) => caseOf({ at: 'message', answer })),
        ...coded('message', 100, 200, 11),
        ...coded('message', 300, 400, 3),
        ...coded('message', 600, 1_000, 37),
        ...noise.map((answer) => caseOf({ at: 'message', answer, leaves: 'end' })),
        ...['250 taken\r\n', '550 no such user\r\n', '550-no\r\n550 never\r\n'].flatMap((answer) =>
          cut('message', answer),
        ),
        caseOf({ at: 'message', answer: '' }),
        caseOf({ at: 'message', answer: '250-taken\r\n' }),
        caseOf({ at: 'message', answer: '5' }),
      ],
    },
  ]
}
