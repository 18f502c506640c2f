// Hands one mail to the provider under the key of the call. A mail that was refused did not go out, and the error says so.
import { type ExecutionContext, ToolError } from '../../../src/index.ts'
import type { MailProvider } from '../world/mail-provider.ts'
import type { MailContent } from '../world/records.ts'
import { originOf } from './origin.ts'

export async function sendMail(provider: MailProvider, content: MailContent, context: ExecutionContext) {
  const sent = await provider.send(content, originOf(context))
  if (sent.kind === 'no_mailbox')
    throw new ToolError('no_mailbox', 'The provider knows no such mailbox. Nothing was sent.', { effect: 'none' })
  if (sent.kind === 'key_reused')
    throw new ToolError('key_reused', 'The provider has another mail under this key. Nothing was sent.', {
      effect: 'none',
    })
  return { message_id: sent.mail.message_id, to: sent.mail.to }
}
