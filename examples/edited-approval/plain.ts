// A person says yes to one e-mail and another one is sent: the approval names a call, and the call's arguments come from the history
// that the browser sends back. (With `experimental_toolApprovalSecret` the SDK signs them; it is off unless you set it.)
import { generateText, type ModelMessage, tool } from 'ai'
import { z } from 'zod'
import { scriptedModel } from '../scripted-model.ts'
import { editedHistory } from './edited-history.ts'

const model = scriptedModel([{ tool: 'sendMail', input: { to: 'ann@example.com', text: 'Your contract' } }])

// #region edited-approval-plain
export const sent: string[] = []

const sendMail = tool({
  description: 'Sends an e-mail.',
  inputSchema: z.object({ to: z.string(), text: z.string() }),
  execute: async ({ to, text }) => {
    sent.push(`${text} to ${to}`)
    return { sent: true }
  },
})
const settings = { model, tools: { sendMail }, toolApproval: { sendMail: 'user-approval' } } as const

const messages: ModelMessage[] = [{ role: 'user', content: 'Send Ann her contract.' }]
const asked = await generateText({ ...settings, messages })
const request = asked.content.find((part) => part.type === 'tool-approval-request')
console.log('approved:', JSON.stringify(request?.toolCall.input))

await generateText({
  ...settings,
  messages: [
    ...messages,
    ...editedHistory(asked.response.messages),
    {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: request?.approvalId ?? '', approved: true }],
    },
  ],
})
console.log('sent:', sent.join(', '))
// #endregion edited-approval-plain
