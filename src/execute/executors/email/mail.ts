// A mail, made from templates and arguments: every address read and checked, every line of the header a single one. The same call makes
// the same bytes in every process: Message-ID, boundaries and date follow from the call.
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { sha256 } from '../../../json/hash.ts'
import { fieldPath } from '../../../json/pointer.ts'
import type { JsonObject } from '../../../json/value.ts'
import { cannotBeSent, onlyArgument, render, scalarTexts, type TextTemplate } from '../text-template.ts'
import { isAllowed, type MailAddress, readAddress } from './address.ts'

export interface MailTemplates {
  readonly from: MailAddress
  readonly to: readonly TextTemplate[]
  readonly cc: readonly TextTemplate[]
  readonly bcc: readonly TextTemplate[]
  readonly replyTo: TextTemplate | undefined
  readonly subject: TextTemplate
  readonly text: TextTemplate
  readonly html: TextTemplate | undefined
  /** Undefined: any address; only for a draft. */
  readonly recipients: readonly string[] | undefined
}

export interface Mail {
  readonly from: MailAddress
  readonly to: readonly MailAddress[]
  readonly cc: readonly MailAddress[]
  readonly bcc: readonly MailAddress[]
  readonly replyTo: MailAddress | undefined
  readonly subject: string
  readonly text: string
  readonly html: string | undefined
  readonly messageId: string
  readonly date: Date
  /** What the boundaries between parts are made of. */
  readonly seed: string
}

const maxRecipients = 100
const maxSubject = 900

export function mailOf(templates: MailTemplates, args: JsonObject, context: ExecutionContext): Mail {
  const { recipients } = templates
  const addresses = (list: readonly TextTemplate[]) =>
    list.flatMap((template) => addressesOf(template, args, recipients))
  const [to, cc, bcc] = [addresses(templates.to), addresses(templates.cc), addresses(templates.bcc)]
  if (to.length === 0) throw cannotBeSent('A mail', 'needs a recipient')
  if (to.length + cc.length + bcc.length > maxRecipients)
    throw cannotBeSent('A mail', `goes to ${maxRecipients} people at most`)
  const source = { args, credentials: context.credentials }
  const subject = render(templates.subject, source, oneLine)
  if (subject.length > maxSubject) throw cannotBeSent('The subject', 'is too long')
  const seed = sha256(context.idempotencyKey ?? context.callId)
  return {
    from: templates.from,
    to,
    cc,
    bcc,
    replyTo: templates.replyTo === undefined ? undefined : addressesOf(templates.replyTo, args, recipients)[0],
    subject,
    text: render(templates.text, source),
    html: templates.html === undefined ? undefined : render(templates.html, source, escapeHtml),
    messageId: `<${seed.slice(0, 40)}@${templates.from.domain}>`,
    date: callStart(context.callId),
    seed,
  }
}

/** One text is one address; several are a list. */
function addressesOf(
  template: TextTemplate,
  args: JsonObject,
  allowed: readonly string[] | undefined,
): readonly MailAddress[] {
  const only = onlyArgument(template)
  if (only === undefined) return [addressIn(render(template, { args, credentials: new Map() }), 'A recipient', allowed)]
  return scalarTexts(args, only).map(({ text, pointer }) => addressIn(text, fieldPath(pointer), allowed))
}

function addressIn(text: string, what: string, allowed: readonly string[] | undefined): MailAddress {
  const address = readAddress(text)
  if (address === undefined) throw cannotBeSent(what, 'is not one plain address such as ann@example.com')
  if (allowed === undefined || isAllowed(address, allowed)) return address
  throw new ToolError('recipient_not_allowed', `${what} is not among the recipients of this tool. Nothing was sent.`, {
    effect: 'none',
    class: 'POLICY_VIOLATION',
  })
}

function oneLine(value: string, what: string): string {
  if (/\p{Cc}|\p{Zl}|\p{Zp}/u.test(value)) throw cannotBeSent(what, 'must be one line in a subject')
  return value
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)
}

/** When the call began, as its UUIDv7 says; in whole seconds, as a mail does. */
function callStart(callId: string): Date {
  const ms = Number.parseInt(callId.replaceAll('-', '').slice(0, 12), 16)
  return new Date(Number.isNaN(ms) ? 0 : Math.floor(ms / 1_000) * 1_000)
}
