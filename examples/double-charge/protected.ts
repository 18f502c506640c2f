// The same model and the same tool, with Proviso between them: the same payment within one chat is one payment.
import { generateText, isStepCount, tool } from 'ai'
import { z } from 'zod'
import { protect } from '../../src/adapters/ai-sdk.ts'
import { openProviso } from '../../src/index.ts'
import { scriptedModel } from '../scripted-model.ts'

const call = { tool: 'bookPayment', input: { invoice: 'INV-17', amount: 120 } }
const model = scriptedModel([call], [call], [call])

export const payments: string[] = []

const bookPayment = tool({
  description: 'Books a payment of an invoice against the customer account.',
  inputSchema: z.object({ invoice: z.string(), amount: z.number().positive() }),
  execute: async ({ invoice, amount }) => {
    payments.push(`${invoice} ${amount} EUR`)
    return { booked: amount }
  },
})

// #region double-charge-protected
const proviso = await openProviso()

// A booking in our own accounts can be put right. Charging a card cannot: that is a CRITICAL_MUTATION, which needs two people and a
// ledger that survives a crash, and is refused on the one in memory.
const tools = protect(proviso, { bookPayment }, { bookPayment: 'MEDIUM_RISK_WRITE' }, { user: 'ann', run: 'chat-17' })

const { steps } = await generateText({
  model,
  tools,
  stopWhen: isStepCount(5),
  prompt: 'Book the payment of invoice INV-17.',
})
console.log(`booked ${payments.length} time:`, payments.join(', '))
// #endregion double-charge-protected

/** What the model got back for each of its calls: three times the same result. */
export const outputs = steps.flatMap((step) => step.toolResults.map((result) => result.output))
console.log(`the model got back ${outputs.map((output) => JSON.stringify(output)).join(' ')}`)
await proviso.close()
