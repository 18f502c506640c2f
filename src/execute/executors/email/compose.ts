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
    subject: literalText(mail.subject),
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

/** What each encoded word may hold, in bytes, so that it has 75 characters at most (RFC 2047). */
const wordBytes = 42

/**
 * The subject as a reader sees it letter by letter. A text may itself spell an encoded word, `=?utf-8?B?…?=`, which mail programs would show as
 * another text than the one that was approved: then it is encoded as a whole, and its own letters come out.
 */
function literalText(text: string): string {
  if (!text.includes('=?')) return text
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > wordBytes) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`).join(' ')
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
