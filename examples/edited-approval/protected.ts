// The same story with Proviso: an approval is bound to the arguments that the person was shown. Others wait for their own.
import { generateText, type ModelMessage, tool } from 'ai'
import { z } from 'zod'
import { isRefusal, protect } from '../../src/adapters/ai-sdk.ts'
import { keyring, openProviso } from '../../src/index.ts'
import { scriptedModel } from '../scripted-model.ts'
import { editedHistory } from './edited-history.ts'

const mail = { to: 'ann@example.com', text: 'Your contract' }

export const sent: string[] = []

const sendMail = tool({
  description: 'Sends an e-mail.',
  inputSchema: z.object({ to: z.string(), text: z.string() }),
  execute: async ({ to, text }) => {
    sent.push(`${text} to ${to}`)
    return { sent: true }
  },
})

// #region edited-approval-protected
const people = keyring()
const bob = await people.issue({ user: 'bob', roles: ['operator'] })
const proviso = await openProviso({ identity: people })
const tools = protect(
  proviso,
  { sendMail },
  { sendMail: { effect: 'HIGH_RISK_EXTERNAL', consequence: ({ to, text }) => `Send "${text}" to ${to}.` } },
  { user: 'ann', run: 'chat-17' },
)

const messages: ModelMessage[] = [{ role: 'user', content: 'Send Ann her contract.' }]
const asked = await generateText({ model: scriptedModel([{ tool: 'sendMail', input: mail }]), tools, messages })
const output = asked.toolResults[0]?.output
const shown = await proviso.approvals.get(isRefusal(output) ? (output.approval_id ?? '') : '')
const decision = { credential: bob, packetHash: shown?.packetHash ?? '' }
const approved = await proviso.approvals.approve(shown?.id ?? '', decision)
console.log('approved:', approved.packet.consequence)

await goOn(editedHistory(asked.response.messages))
const [waiting] = await proviso.approvals.list({ status: 'pending' })
console.log('waiting: ', waiting?.packet.consequence)
console.log('sent:    ', sent.length === 0 ? 'nothing' : sent.join(', '))
// #endregion edited-approval-protected
export const sentAfterEdit = sent.length

await goOn(asked.response.messages)
await goOn(asked.response.messages)
console.log('unedited:', sent.join(', '))
await proviso.close()

/** Goes on from the history that came back; the model makes the call that stands in it. */
async function goOn(history: readonly ModelMessage[]): Promise<void> {
  const calls = history.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
  const input = calls.find((part) => part.type === 'tool-call')?.input as object
  await generateText({
    model: scriptedModel([{ tool: 'sendMail', input, id: 'again' }]),
    tools,
    messages: [...messages, ...history],
  })
}
