// Approvals: what a person is shown, what a rejection does, what changed arguments do, and a call that the decision itself runs.
// #region tool
import { defineTool, openProviso } from '../../src/index.ts'

const sent: string[] = []

const mail = defineTool({
  name: 'send_mail',
  description: 'Sends one e-mail to a customer.',
  effect: 'HIGH_RISK_EXTERNAL',
  input: {
    type: 'object',
    required: ['to', 'text'],
    additionalProperties: false,
    properties: { to: { type: 'string', format: 'email' }, text: { type: 'string' } },
  },
  approval: { quorum: 2, ttlMs: 60 * 60_000 },
  consequence: ({ to }) => `Sends an e-mail to ${to}.`,
  execute({ to }) {
    sent.push(to)
    return { queued: true }
  },
  verify: ({ to }) => (sent.includes(to) ? { status: 'verified' } : { status: 'failed', message: 'It was not sent.' }),
})
// #endregion tool

const proviso = await openProviso({ tools: [mail] })
const context = { user: 'ann', run: 'chat-17' }
const propose = (to: string, more = {}) =>
  proviso.call({ tool: 'send_mail', arguments: { to, text: 'Hello' } }, { ...context, ...more })

// #region people
const waiting = await propose('eve@example.com')
const id = waiting.approval?.id ?? ''
const one = await proviso.approvals.approve(id, { by: 'bob' })
const two = await proviso.approvals.approve(id, { by: 'carol', reason: 'The customer asked for it.' })
console.log(one.packet.consequence, one.status, two.status)
// #endregion people

// #region edited
const edited = await propose('mallory@example.com')
console.log('edited:', edited.response.error_code, edited.effect, sent.length)

const approved = await propose('eve@example.com')
console.log('approved:', approved.response.error_code, approved.effect, sent.length)
// #endregion edited

// #region rejected
await proviso.approvals.reject(edited.approval?.id ?? '', { by: 'bob', reason: 'Nobody knows this address.' })
const rejected = await propose('mallory@example.com')
console.log('rejected:', rejected.response.next_action, rejected.feedback?.field_errors[0]?.message)
// #endregion rejected

// #region resume
const left = await propose('dan@example.com', { resumeOnDecision: true })
await proviso.approvals.approve(left.approval?.id ?? '', { by: 'bob' })
await proviso.approvals.approve(left.approval?.id ?? '', { by: 'carol' })
console.log('resumed:', sent.at(-1))
// #endregion resume

await proviso.close()
