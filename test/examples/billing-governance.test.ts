// The rules of the billing desk on the tools that need no durable ledger: what its policies, permission rules and labels say.
import { describe, expect, it } from 'vitest'
import { clerk } from '../../examples/billing/clerk.ts'
import { governance } from '../../examples/billing/governance.ts'
import { people } from '../../examples/billing/people.ts'
import { billingTools } from '../../examples/billing/tools.ts'
import { openDesk } from '../../examples/billing/world/desk.ts'
import { type CallContext, openProviso, type Proviso } from '../../src/index.ts'
import { newFolder } from './billing-world.ts'

async function openOnMemory() {
  const { everyday } = billingTools(await openDesk(await newFolder()))
  const proviso = await openProviso({ tools: everyday, identity: people, ...governance() })
  const call = async (tool: string, args: unknown, context: CallContext = {}) => {
    const answer = await proviso.call({ tool, arguments: JSON.stringify(args) }, { ...clerk, run: 'run_1', ...context })
    return { answer, voices: await voicesOf(proviso, answer.observation.tool_identity.call_id) }
  }
  return { call, close: () => proviso.close() }
}

/** Who objected, and what they said. */
async function voicesOf(proviso: Proviso, id: string): Promise<readonly string[]> {
  const facts = await proviso.calls.facts(id)
  return facts.flatMap(({ evidence }) => {
    const { voices = [] } = (evidence ?? {}) as {
      readonly voices?: readonly { readonly source: string; readonly rule?: string; readonly says: string }[]
    }
    return voices.map(({ source, rule, says }) => `${rule === undefined ? source : `${source}/${rule}`} ${says}`)
  })
}

const company = { query: 'Brandt Optik GmbH' }
const fraud = { invoice_id: 'inv_1008', expected_version: 1, reason: 'fraud_review', note: null }

describe('the rules of the billing desk', () => {
  it('let a run out to the web with consent, until it has read what must not leave', async () => {
    const { call, close } = await openOnMemory()
    const before = await call('research_company_v1', company)
    expect(before.answer.effect).toBe('pending')
    expect(before.voices).toEqual(['contract/unrestricted-egress ask', 'cedar passthrough'])
    await call('fetch_invoice_v1', { invoice_id: 'inv_1007' })
    const after = await call('research_company_v1', { query: 'Halden Cycles AS' })
    expect(after.answer.response.error_code).toBe('POLICY_VIOLATION')
    expect(after.voices).toEqual([
      'contract/unrestricted-egress ask',
      'label/confidential-egress deny',
      'cedar/confidential-stays deny',
    ])
    await close()
  })

  it('let confidential data go to the mail provider that the organisation knows', async () => {
    const { call, close } = await openOnMemory()
    await call('fetch_invoice_v1', { invoice_id: 'inv_1009' })
    const { answer, voices } = await call('send_invoice_email_v1', {
      invoice_id: 'inv_1009',
      to: { customer_id: 'cus_brandt', email: 'rechnung@brandt.example.com' },
      subject: 'Your invoice',
      body: 'Here it is.',
      attach_invoice: true,
    })
    expect(answer.effect).toBe('pending')
    expect(voices.filter((voice) => voice.endsWith('deny'))).toEqual([])
    await close()
  })

  it('have somebody look where fraud is suspected, and let auditors read and nothing else', async () => {
    const { call, close } = await openOnMemory()
    const suspected = await call('void_invoice_v1', fraud)
    expect(suspected.answer.effect).toBe('pending')
    expect(suspected.voices).toContain('permission/project/fraud-is-looked-at ask')
    const auditor = { user: 'aud', roles: ['auditor'], run: 'run_2' }
    const read = await call('fetch_invoice_v1', { invoice_id: 'inv_1008' }, auditor)
    expect(read.answer.response.error_code).toBe('SUCCESS')
    const { answer } = await call('void_invoice_v1', { ...fraud, reason: 'duplicate' }, auditor)
    expect(answer.response.error_code).toBe('PERMISSION_DENIED')
    await close()
  })

  it('trust what the desk wrote itself, and no run that has read what a customer wrote', async () => {
    const { call, close } = await openOnMemory()
    const change = { ticket_id: 'tck_302', expected_version: 1, change: { priority: 'low' } }
    await call('fetch_invoice_v1', { invoice_id: 'inv_1008' })
    expect((await call('update_ticket_v1', change)).answer.effect).toBe('happened')
    await call('read_ticket_v1', { ticket_id: 'tck_302' })
    const asked = await call('update_ticket_v1', { ...change, expected_version: 2, change: { priority: 'high' } })
    expect(asked.answer.effect).toBe('pending')
    expect(asked.voices).toContain('label/untrusted-write ask')
    await close()
  })
})
