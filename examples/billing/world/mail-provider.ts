// A mail provider as they are: it answers a repeated idempotency key from its memory instead of sending twice, and refuses a key that
// comes back with another mail. Every request leaves a line of its own, so a test sees that it was made, and with which bytes.
import { createHash } from 'node:crypto'
import { openJournal } from './journal.ts'
import type { Mail, MailContent, MailRequest, Origin } from './records.ts'

export type SendOutcome =
  | { readonly kind: 'sent' | 'already_sent'; readonly mail: Mail }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'no_mailbox' }

export interface MailProvider {
  send(content: MailContent, origin: Origin): Promise<SendOutcome>
  /** What went out, oldest first. */
  outbox(): Promise<readonly Mail[]>
  /** What the provider was asked, oldest first. */
  requests(): Promise<readonly MailRequest[]>
}

/** Addresses that were given up, and that no list of ours knows of. */
const goneMailboxes: ReadonlySet<string> = new Set(['facturas@mirador.example.com'])

/** How long a key is remembered; an hour less than a day, so that no caller relies on its last minutes. */
export const keyWindowMs = 23 * 3_600_000

export function openMailProvider(outboxFile: string, requestFile: string): MailProvider {
  const outbox = openJournal<Mail>(outboxFile)
  const requests = openJournal<MailRequest>(requestFile)
  return {
    outbox: () => outbox.read(),
    requests: () => requests.read(),
    async send(content, origin) {
      const request_hash = createHash('sha256').update(JSON.stringify(content)).digest('hex')
      if (goneMailboxes.has(content.to)) {
        await requests.append({ ...origin, request_hash, outcome: 'no_mailbox' })
        return { kind: 'no_mailbox' }
      }
      const earlier = (await outbox.read()).find(({ key }) => key === origin.key)
      const outcome =
        earlier === undefined ? 'sent' : earlier.request_hash === request_hash ? 'already_sent' : 'key_reused'
      await requests.append({ ...origin, request_hash, outcome })
      if (outcome === 'key_reused') return { kind: outcome }
      if (earlier !== undefined) return { kind: outcome, mail: earlier }
      const mail: Mail = { ...origin, ...content, message_id: `msg_${origin.key.slice(0, 12)}`, request_hash }
      await outbox.append(mail)
      return { kind: outcome, mail }
    },
  }
}
