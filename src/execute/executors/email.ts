// The executor of e-mail: a draft goes to a stage where a person finds it; a live send goes by SMTP, to people on a list only. Which of the
// two a tool does is fixed when it is made.

import { resolve } from 'node:path'
import { partialResult } from '../../contract/call/partial-result.ts'
import { Fault } from '../../contract/fault.ts'
import type { ExecutionContext, Executor } from '../../contract/tool/executor.ts'
import type { EmailFile } from '../../contract/tool/executor-files/email-file.ts'
import type { JsonObject } from '../../json/value.ts'
import { lastLook } from '../attempt/may-act.ts'
import type { Network } from '../egress/allowed-host.ts'
import { isRecipientEntry, readAddress } from './email/address.ts'
import { type MailTemplates, mailOf } from './email/mail.ts'
import { folderStage, type MailStage } from './email/mail-stage.ts'
import type { SmtpServer } from './email/smtp.ts'
import {
  namesArgument,
  namesCredential,
  namesIn,
  readTextTemplate,
  render,
  type TextTemplate,
} from './text-template.ts'

interface MailOptions {
  /** The sender, as it is: no argument may stand in it. */
  readonly from: string
  /** An address, several, or `{argument}` that holds one or a list. */
  readonly to: string | readonly string[]
  readonly cc?: string | readonly string[] | undefined
  readonly bcc?: string | readonly string[] | undefined
  readonly replyTo?: string | undefined
  readonly subject: string
  readonly text: string
  /** Arguments in it are escaped. */
  readonly html?: string | undefined
  readonly version?: string | undefined
}

export type EmailOptions = MailOptions &
  (
    | {
        /** Stages the mail and sends nothing. */
        readonly draft: MailStage
        readonly recipients?: readonly string[] | undefined
        readonly smtp?: undefined
      }
    | {
        readonly smtp: SmtpOptions
        /** Who may get it: addresses, domains, suffixes such as *.example.com. */
        readonly recipients: readonly string[]
        readonly draft?: undefined
      }
  )

export interface SmtpOptions {
  readonly host: string
  readonly port?: number | undefined
  /** `tls` from the first byte by default; `starttls` never goes on without it. */
  readonly security?: SmtpServer['security'] | undefined
  /** `{credential:name}` stands for a secret. */
  readonly user?: string | undefined
  readonly password?: string | undefined
  readonly network?: Partial<Network> | undefined
}

/** Throws a Fault where a template or an address cannot be taken. */
export function email(options: EmailOptions): Executor {
  const templates = templatesOf(options)
  return options.smtp === undefined
    ? drafting(templates, options.draft, options.version)
    : sending(templates, options.smtp, options.version)
}

function drafting(templates: MailTemplates, stage: MailStage, version: string | undefined): Executor {
  return {
    kind: 'email',
    isolated: false,
    leastEffect: 'LOW_RISK_INTERNAL',
    names: namesIn(textsOf(templates)),
    version,
    async run(args, context) {
      const mail = mailOf(templates, args, context)
      const recipients = [...mail.to, ...mail.cc, ...mail.bcc]
      const { composeMail } = await import('./email/compose.ts')
      const raw = await composeMail(mail, true)
      const { from, subject, messageId } = mail
      lastLook(context)
      const draft = await stage.put({ key: keyOf(context), from, recipients, subject, raw }, context.mayAct)
      return { draft, message_id: messageId, recipients: recipients.map(({ address }) => address) }
    },
  }
}

function sending(templates: MailTemplates, smtp: SmtpOptions, version: string | undefined): Executor {
  const security = smtp.security ?? 'tls'
  const port = smtp.port ?? (security === 'tls' ? 465 : 587)
  const network = smtp.network ?? {}
  const login = loginOf(smtp)
  return {
    kind: 'email',
    isolated: false,
    connects: true,
    leastEffect: 'HIGH_RISK_EXTERNAL',
    names: namesIn([...textsOf(templates), ...login.templates]),
    version,
    async run(args, context) {
      const mail = mailOf(templates, args, context)
      const [{ composeMail }, { sendMail }] = await Promise.all([
        import('./email/compose.ts'),
        import('./email/smtp.ts'),
      ])
      const raw = await composeMail(mail, false)
      const server: SmtpServer = { host: smtp.host, port, security, login: login.fill(args, context) }
      const to = [...new Set([...mail.to, ...mail.cc, ...mail.bcc].map(({ address }) => address))]
      const { egress, signal, mayAct } = context
      const delivery = await sendMail(server, { from: mail.from.address, to, raw }, { egress, signal, mayAct, network })
      const value = { message_id: mail.messageId, accepted: delivery.accepted }
      if (delivery.rejected.length === 0) return value
      return partialResult({
        completed: delivery.accepted,
        failed: delivery.rejected.map(({ address, code }) => ({
          name: address,
          code,
          message: 'The server refused it.',
        })),
        value,
      })
    },
  }
}

const keyOf = ({ idempotencyKey, callId }: ExecutionContext): string => idempotencyKey ?? callId

function templatesOf(options: EmailOptions): MailTemplates {
  const from = readAddress(options.from)
  if (from === undefined)
    throw new Fault('bad_options', 'from must be one plain address, such as Billing <billing@example.com>.')
  const { recipients } = options
  const stray = recipients?.find((entry) => !isRecipientEntry(entry))
  if (stray !== undefined)
    throw new Fault('bad_options', `recipients names ${stray.slice(0, 64)}: neither an address nor a domain.`)
  if (options.smtp !== undefined && (recipients === undefined || recipients.length === 0))
    throw new Fault('bad_options', 'A live send needs recipients: the addresses and domains that may get it.')
  const list = (what: string, texts: string | readonly string[] | undefined): readonly TextTemplate[] =>
    (texts === undefined ? [] : typeof texts === 'string' ? [texts] : texts).map((text) => withoutSecret(text, what))
  return {
    from,
    to: list('to', options.to),
    cc: list('cc', options.cc),
    bcc: list('bcc', options.bcc),
    replyTo: options.replyTo === undefined ? undefined : withoutSecret(options.replyTo, 'replyTo'),
    subject: withoutSecret(options.subject, 'subject'),
    text: withoutSecret(options.text, 'text'),
    html: options.html === undefined ? undefined : withoutSecret(options.html, 'html'),
    recipients,
  }
}

const textsOf = ({ to, cc, bcc, replyTo, subject, text, html }: MailTemplates): readonly TextTemplate[] =>
  [...to, ...cc, ...bcc, replyTo, subject, text, html].filter((template) => template !== undefined)

/** The recipient of the mail would read it. */
function withoutSecret(text: string, what: string): TextTemplate {
  const template = readTextTemplate(text, what)
  if (namesCredential(template))
    throw new Fault('bad_options', `${what} names a credential, and a mail is read by others.`)
  return template
}

interface Login {
  readonly templates: readonly TextTemplate[]
  fill(args: JsonObject, context: ExecutionContext): SmtpServer['login']
}

function loginOf({ user, password }: SmtpOptions): Login {
  if (user === undefined && password === undefined) return { templates: [], fill: () => undefined }
  const [who, what] = [readTextTemplate(user ?? '', 'user'), readTextTemplate(password ?? '', 'password')]
  if (namesArgument(who) || namesArgument(what))
    throw new Fault('bad_options', 'No argument may say who signs in to the mail server.')
  return {
    templates: [who, what],
    fill(args, { credentials }) {
      const text = (template: TextTemplate) => render(template, { args, credentials })
      return { user: text(who), pass: text(what) }
    },
  }
}

/** The email executor from its declaration in a tool file. */
export function emailFromFile(file: EmailFile, folder: string): Executor {
  const { from, to, cc, bcc, subject, text, html, recipients, version } = file
  const mail = { from, to, cc, bcc, replyTo: file.reply_to, subject, text, html, version }
  if (file.draft !== undefined)
    return email({ ...mail, recipients, draft: folderStage(resolve(folder, file.draft.folder)) })
  if (file.smtp !== undefined) return email({ ...mail, recipients: recipients ?? [], smtp: file.smtp })
  throw new Fault('bad_options', 'A mail is a draft or is sent: write draft or smtp.')
}
