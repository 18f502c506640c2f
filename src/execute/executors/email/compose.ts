// A mail as bytes (RFC 5322, MIME). The peer that writes them is given addresses that were read before; it parses none.
import { Fault } from '../../../contract/fault.ts'
import type { MailAddress } from './address.ts'
import type { Mail } from './mail.ts'

/** A draft keeps the hidden recipients for the person who sends it; a mail that is sent does not. */
export async function composeMail(mail: Mail, keepBcc: boolean): Promise<Buffer> {
  const { default: MailComposer } = await loadPeer(() => import('nodemailer/lib/mail-composer'))
  const composer = new MailComposer({
    from: asPeerWrites(mail.from),
    to: mail.to.map(asPeerWrites),
    cc: mail.cc.map(asPeerWrites),
    bcc: keepBcc ? mail.bcc.map(asPeerWrites) : [],
    ...(mail.replyTo === undefined ? {} : { replyTo: asPeerWrites(mail.replyTo) }),
    subject: mail.subject,
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    messageId: mail.messageId,
    date: mail.date,
    baseBoundary: mail.seed.slice(0, 32),
    // The peer fetches nothing and reads nothing from disk.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: 'windows',
  })
  const node = composer.compile()
  node.keepBcc = keepBcc
  return node.build()
}

const asPeerWrites = ({ name, address }: MailAddress) => ({ name, address })

/** The peer is optional; without it the fault says what to install. */
export async function loadPeer<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new Fault('bad_options', 'The email executor needs nodemailer: npm install nodemailer.', { cause })
  }
}
