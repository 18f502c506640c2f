import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isPartialResult } from '../../src/contract/call/partial-result.ts'
import { defineTool, type EmailOptions, loadContracts, openProviso } from '../../src/index.ts'
import { email, folderStage } from '../../src/public/executors.ts'
import { failureOf, runExecutor, trialEgress } from './run-executor.ts'
import { type SmtpBehaviour, smtpServer } from './smtp-server.ts'
import { testCertificate } from './test-certificate.ts'

const letter = {
  from: 'Billing <billing@kestrel.example>',
  to: '{to}',
  cc: '{cc}',
  bcc: '{bcc}',
  subject: 'Invoice {number}',
  text: 'Dear {/name},\n.\nplease pay {number}.\n',
} as const
const args = { to: 'ann@example.com', number: 'R-7', name: 'Ann' }
const recipients = ['example.com', '*.example.com', 'dan@other.test']
const network = { resolve: async () => [{ address: '127.0.0.1', family: 4 }], ca: testCertificate }

const sender = (port: number, changes: Partial<EmailOptions> = {}, smtp = {}) =>
  email({
    ...letter,
    recipients,
    smtp: { host: 'api.proviso.test', port, security: 'none', network, ...smtp },
    ...changes,
  } as EmailOptions)

const send = (port: number, given: object = {}, changes: Partial<EmailOptions> = {}, smtp = {}) =>
  runExecutor(sender(port, changes, smtp), { ...args, ...given }, { egress: trialEgress([port]) })

/** As mail programs read it (RFC 2047): the white space between two encoded words is none. */
function readWords(text: string): string {
  return text
    .replace(/\?=[ \t]+=\?/g, '?==?')
    .replace(/=\?([^?]+)\?([bq])\?([^?]*)\?=/gi, (_whole, charset: string, how: string, word: string) => {
      const bytes =
        how.toLowerCase() === 'b'
          ? Buffer.from(word, 'base64')
          : Buffer.from(
              word.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))),
              'latin1',
            )
      return new TextDecoder(charset).decode(bytes)
    })
}

describe('a live send', () => {
  it('reaches exactly the people it names, and hides whom it should [recipients-are-checked]', async () => {
    await using server = await smtpServer()
    const result = await send(server.port, {
      to: ['Ann <ann@example.com>', 'bob@eu.example.com'],
      cc: 'cy@example.com',
      bcc: ['dan@other.test'],
    })
    expect(result).toMatchObject({
      accepted: ['ann@example.com', 'bob@eu.example.com', 'cy@example.com', 'dan@other.test'],
    })
    const [mail] = server.mails
    expect(mail?.from).toBe('billing@kestrel.example')
    expect(mail?.to).toEqual(['ann@example.com', 'bob@eu.example.com', 'cy@example.com', 'dan@other.test'])
    expect(mail?.data).toMatch(/^Subject: Invoice R-7\r$/m)
    expect(mail?.data).toContain('\r\n.\r\n')
    expect(mail?.data).not.toContain('dan@other.test')
  })

  it('makes the same bytes of the same call', async () => {
    await using server = await smtpServer()
    await send(server.port, {}, { html: '<p>Dear {/name}</p>' })
    await send(server.port, {}, { html: '<p>Dear {/name}</p>' })
    expect(server.mails[0]?.data).toBe(server.mails[1]?.data)
    expect(server.mails[0]?.data).toMatch(/^Message-ID: <[0-9a-f]{40}@kestrel\.example>\r$/m)
  })

  it.each([
    ['an encoded word', '=?utf-8?B?UGFpZCBhbHJlYWR5?='],
    ['one in another form', 'a =?iso-8859-1?q?Paid=20already?= b'],
    ['one beside other letters', 'é =?utf-8?Q?x?= 汉字'.repeat(6)],
    ['only its beginning', '=?'],
  ])('shows a subject letter by letter, also where it spells %s', async (_what, number) => {
    await using server = await smtpServer()
    await send(server.port, { number })
    const lines = /^Subject:((?:.*\r\n[ \t])*.*)\r$/m.exec(server.mails[0]?.data ?? '')?.[1] ?? ''
    for (const line of lines.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78)
    expect(readWords(lines.replace(/\r\n(?=[ \t])/g, '').trim())).toBe(`Invoice ${number}`)
  })

  it('escapes arguments in HTML', async () => {
    await using server = await smtpServer()
    await send(server.port, { name: '<script>alert(1)</script>' }, { html: '<p>Dear {/name}</p>' })
    expect(server.mails[0]?.data).toContain('<p>Dear &lt;script&gt;alert(1)&lt;/script&gt;</p>')
  })

  it.each([
    ['another recipient', { to: 'eve@evil.test' }, 'recipient_not_allowed'],
    ['another recipient in copy', { cc: ['ann@example.com', 'eve@evil.test'] }, 'recipient_not_allowed'],
    ['another hidden recipient', { bcc: 'eve@evil.test' }, 'recipient_not_allowed'],
    ['a domain that only ends alike', { to: 'eve@evilexample.com' }, 'recipient_not_allowed'],
    ['a domain that only begins alike', { to: 'eve@example.com.evil.test' }, 'recipient_not_allowed'],
    ['a list in one text', { to: 'ann@example.com, eve@evil.test' }, 'argument_cannot_be_sent'],
    ['a group', { to: 'Friends: ann@example.com, eve@evil.test;' }, 'argument_cannot_be_sent'],
    ['an address for a name', { to: '"ann@example.com" <eve@evil.test>' }, 'argument_cannot_be_sent'],
    ['an encoded word for a name', { to: '=?utf-8?q?Ann?= <ann@example.com>' }, 'argument_cannot_be_sent'],
    ['a quoted local part', { to: '"eve@evil.test"@example.com' }, 'argument_cannot_be_sent'],
    ['a comment', { to: 'eve@evil.test (ann@example.com)' }, 'argument_cannot_be_sent'],
    ['a further header in the address', { to: 'ann@example.com\r\nBcc: eve@evil.test' }, 'argument_cannot_be_sent'],
    ['a further header in the subject', { number: '7\r\nBcc: eve@evil.test' }, 'argument_cannot_be_sent'],
    ['a homograph', { to: 'ann@exаmple.com' }, 'recipient_not_allowed'],
    ['no recipient', { to: [] }, 'argument_cannot_be_sent'],
    ['an object', { to: { address: 'ann@example.com' } }, 'argument_cannot_be_sent'],
    ['a crowd', { to: Array(101).fill('ann@example.com') }, 'argument_cannot_be_sent'],
  ])(
    'is refused before anything is connected to, to %s [recipients-are-checked] [TC-291, TC-324]',
    async (_what, given, code) => {
      await using server = await smtpServer()
      const failure = await failureOf(send(server.port, given))
      expect([failure.code, failure.effect, server.commands.length]).toEqual([code, 'none', 0])
    },
  )

  it.each([
    ['the greeting', { hangsUpAt: 'greeting' }, 'connection_lost', 'none'],
    ['the sender', { hangsUpAt: 'MAIL' }, 'connection_lost', 'none'],
    ['the recipients', { hangsUpAt: 'RCPT' }, 'connection_lost', 'none'],
    ['DATA', { hangsUpAt: 'DATA' }, 'connection_lost', 'none'],
    ['the end of the message', { hangsUpAt: 'message' }, 'connection_lost', 'unknown'],
    ['a refusal of every recipient', { refuses: ['ann@example.com'] }, 'smtp_550', 'none'],
    ['a refusal of the message', { verdict: '554 spam' }, 'smtp_554', 'none'],
    ['a wish to be left alone', { verdict: '451 later' }, 'smtp_451', 'none'],
  ] as const)('says what is known after %s', async (_what, behaviour: SmtpBehaviour, code, effect) => {
    await using server = await smtpServer(behaviour)
    const failure = await failureOf(send(server.port))
    expect([failure.code, failure.effect]).toEqual([code, effect])
    expect(server.mails).toHaveLength(0)
  })

  it.each(['250 ok', '355 go on', '3540 go on', '250-ok\r\n354 go on'])(
    'is not sent where DATA is answered with %s',
    async (goAhead) => {
      await using server = await smtpServer({ goAhead })
      const failure = await failureOf(send(server.port, { number: '7' }))
      expect([failure.code, failure.effect]).toEqual(['smtp_data_refused', 'none'])
      expect(server.commands.filter((line) => !/^(?:EHLO|MAIL|RCPT|DATA|QUIT)/.test(line))).toEqual([])
    },
  )

  it.each(['550-no\r\n250 taken', '550-no\r\n451 later', '250-taken\r\n550 no'])(
    'is unknown where the message is answered with two codes: %s',
    async (verdict) => {
      await using server = await smtpServer({ verdict })
      const failure = await failureOf(send(server.port))
      expect([failure.code, failure.effect]).toEqual(['connection_lost', 'unknown'])
    },
  )

  it('is done in part where some recipients are refused', async () => {
    await using server = await smtpServer({ refuses: ['cy@example.com'] })
    const result = await send(server.port, { cc: ['cy@example.com'] })
    expect(isPartialResult(result) && [result.completed, result.failed]).toEqual([
      [{ name: 'ann@example.com' }],
      [{ name: 'cy@example.com', code: 'smtp_550', message: 'The server refused it.' }],
    ])
  })

  it('ends with the call', async () => {
    await using server = await smtpServer({ tls: 'at once' })
    const signal = AbortSignal.timeout(100)
    // It waits for a greeting that only comes encrypted.
    const running = runExecutor(sender(server.port), args, { egress: trialEgress([server.port]), signal })
    expect(await failureOf(running)).toMatchObject({ code: 'connection_lost', effect: 'none' })
  })
})

describe('the way to the mail server', () => {
  it.each([
    ['at once', 'tls'],
    ['starttls', 'starttls'],
  ] as const)('is encrypted %s, and signed in to', async (tls, security) => {
    await using server = await smtpServer({ tls, login: { user: 'billing', pass: 'pass-word' } })
    const executor = sender(server.port, {}, { security, user: 'billing', password: '{credential:smtp}' })
    const run = (pass: string) =>
      runExecutor(executor, args, { egress: trialEgress([server.port]), credentials: new Map([['smtp', pass]]) })
    expect(await run('pass-word')).toMatchObject({ accepted: ['ann@example.com'] })
    expect(await failureOf(run('wrong'))).toMatchObject({ code: 'smtp_login_refused', effect: 'none' })
    expect(server.mails).toHaveLength(1)
  })

  it('is not used unencrypted where encryption was asked for', async () => {
    await using server = await smtpServer()
    const failure = await failureOf(send(server.port, {}, {}, { security: 'starttls' }))
    expect([failure.effect, server.mails.length]).toEqual(['none', 0])
  })

  it('believes no certificate of another name', async () => {
    await using server = await smtpServer({ tls: 'at once' })
    const failure = await failureOf(send(server.port, {}, {}, { security: 'tls', host: 'other.proviso.test' }))
    expect([failure.effect, server.mails.length]).toEqual(['none', 0])
  })

  it('is held to the egress rules like any other [egress-is-held-to-the-contract]', async () => {
    await using server = await smtpServer()
    const executor = sender(server.port)
    for (const egress of [
      trialEgress([]),
      trialEgress([server.port], { policy: 'none' }),
      trialEgress([server.port], { domains: ['mail.example.com'] }),
      trialEgress([server.port], { connections: { ports: [server.port], loopback: false, plain: true } }),
    ])
      expect((await failureOf(runExecutor(executor, args, { egress }))).code).toBe('egress_refused')
    expect(server.commands).toHaveLength(0)
  })
})

describe('a draft', () => {
  const folderFor = () => mkdtemp(join(tmpdir(), 'proviso-mail-'))

  it('is staged as a file that only its owner reads, once for each operation', async () => {
    const folder = join(await folderFor(), 'outbox')
    const executor = email({ ...letter, draft: folderStage(folder) })
    const first = await runExecutor(executor, { ...args, bcc: ['dan@other.test'] })
    expect(await runExecutor(executor, { ...args, bcc: ['dan@other.test'] })).toEqual(first)
    await runExecutor(executor, args, { idempotencyKey: 'key-2' })
    const names = await readdir(folder)
    expect(names).toHaveLength(2)
    const { draft } = first as { draft: string }
    expect(names).toContain(draft)
    expect((await stat(join(folder, draft))).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect(await readFile(join(folder, draft), 'utf8')).toMatch(/^Bcc: dan@other\.test\r$/m)
  })

  it('survives two attempts at once', async () => {
    const folder = await folderFor()
    const executor = email({ ...letter, draft: folderStage(folder) })
    const drafts = await Promise.all(Array.from({ length: 8 }, () => runExecutor(executor, args)))
    expect(new Set(drafts.map((draft) => JSON.stringify(draft))).size).toBe(1)
    expect(await readdir(folder)).toHaveLength(1)
  })

  it('may be LOW_RISK_INTERNAL, while a live send never is', async () => {
    const tool = (executor: ReturnType<typeof email>) =>
      defineTool({
        name: 'write_mail_v1',
        description: 'Writes one mail to a customer.',
        effect: 'LOW_RISK_INTERNAL',
        input: {
          type: 'object',
          properties: { to: { type: 'string' } },
          required: ['to'],
          additionalProperties: false,
        },
        egress: 'unrestricted_with_approval',
        executor,
      })
    const plain = { from: 'billing@kestrel.example', to: '{to}', subject: 'Hello', text: 'Hello' }
    const drafting = await openProviso({ tools: [tool(email({ ...plain, draft: folderStage(await folderFor()) }))] })
    await drafting.close()
    const live = tool(email({ ...plain, recipients, smtp: { host: 'mail.example.com' } }))
    await expect(openProviso({ tools: [live] })).rejects.toThrow('effect-below-executor')
  })

  it('may be a file', async () => {
    const folder = await folderFor()
    const { contract } = defineTool({
      name: 'draft_mail_v1',
      description: 'Drafts one mail to a customer.',
      effect: 'LOW_RISK_INTERNAL',
      input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'], additionalProperties: false },
      execute: () => ({}),
    })
    const executor = {
      kind: 'email',
      from: 'a@kestrel.example',
      to: '{to}',
      subject: 'S',
      text: 'T',
      draft: { folder: 'outbox' },
    }
    const write = (changes: object) =>
      writeFile(
        join(folder, 'draft.tool.json'),
        JSON.stringify({ contract, binding: { executor: { ...executor, ...changes } } }),
      )
    await write({})
    const proviso = await openProviso({ tools: await loadContracts(folder) })
    const answer = await proviso.call({ tool: 'draft_mail_v1', arguments: '{"to":"ann@example.com"}' }, { run: 'r' })
    expect(answer.effect).toBe('happened')
    expect(await readdir(join(folder, 'outbox'))).toHaveLength(1)
    await proviso.close()
    await write({ from: 'Everybody' })
    await expect(loadContracts(folder)).rejects.toThrow('from must be one plain address')
    await write({ smtp: { host: 'mail.example.com' } })
    await expect(loadContracts(folder)).rejects.toThrow('/binding/executor')
  })
})

describe('what an email tool may not say', () => {
  it.each([
    ['a sender from arguments', { from: '{to}' }, 'from must be one plain address'],
    ['a live send without a list', { recipients: [] }, 'needs recipients'],
    ['a recipient entry that is none', { recipients: ['*'] }, 'recipients names *'],
    ['a secret in the text', { text: 'The key is {credential:smtp}' }, 'text names a credential'],
    ['a login from arguments', { smtp: { host: 'mail.example.com', user: '{to}' } }, 'who signs in'],
  ])('is refused when the tool is defined: %s', (_what, changes, why) => {
    expect(() => sender(465, changes as Partial<EmailOptions>)).toThrow(
      expect.objectContaining({ code: 'bad_options', message: expect.stringContaining(why) }),
    )
  })
})
