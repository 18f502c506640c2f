// A model that is unsure whether its call went through makes it again. Nothing in the loop objects.
import { generateText, isStepCount, tool } from 'ai'
import { z } from 'zod'
import { scriptedModel } from '../scripted-model.ts'

const call = { tool: 'bookPayment', input: { invoice: 'INV-17', amount: 120 } }
const model = scriptedModel([call], [call], [call])

// #region double-charge-plain
export const payments: string[] = []

const bookPayment = tool({
  description: 'Books a payment of an invoice against the customer account.',
  inputSchema: z.object({ invoice: z.string(), amount: z.number().positive() }),
  execute: async ({ invoice, amount }) => {
    payments.push(`${invoice} ${amount} EUR`)
    return { booked: amount }
  },
})

await generateText({
  model,
  tools: { bookPayment },
  stopWhen: isStepCount(5),
  prompt: 'Book the payment of invoice INV-17.',
})
console.log(`booked ${payments.length} times:`, payments.join(', '))
// #endregion double-charge-plain
