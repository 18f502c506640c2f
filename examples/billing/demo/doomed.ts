// The process that dies: it makes its calls and, once a provider has taken what it was sent, says so and never comes back. The process
// that started it ends it there with SIGKILL, between the effects and their records.
import { openProviso } from '../../../src/index.ts'
import { embedded } from '../../../src/ledger/index.ts'
import { tenant } from '../clerk.ts'
import { governance } from '../governance.ts'
import { billingTools } from '../tools.ts'
import { openDesk } from '../world/desk.ts'
import type { Doomed } from './crash.ts'

/** So short that the demo does not wait long for the recovery; the default is fifteen seconds. */
const leaseMs = 2_000

const { folder, ledgerFolder, calls }: Doomed = JSON.parse(process.argv[2] ?? '')
const desk = await openDesk(folder)

/** Does what it is asked, and its answer is lost. */
const losing =
  <Request extends readonly unknown[], Answer>(what: string, ask: (...request: Request) => Promise<Answer>) =>
  async (...request: Request): Promise<Answer> => {
    await ask(...request)
    process.send?.(what)
    return new Promise<never>(() => {})
  }

const mail = { ...desk.mail, send: losing('mail', desk.mail.send) }
const cards = { ...desk.cards, charge: losing('charge', desk.cards.charge) }
const { everyday, critical } = billingTools({ ...desk, mail, cards })
const ledger = await embedded({ dir: ledgerFolder, leaseMs })
const proviso = await openProviso({ tools: [...everyday, ...critical], tenants: [tenant], ledger, ...governance() })
const answer = await Promise.race(calls.map(({ proposal, context }) => proviso.call(proposal, context)))
// Only a call that was refused comes to this line.
process.send?.(`${answer.response.error_code}: ${answer.observation.result_payload.errors[0]?.message ?? ''}`)
await proviso.close()
process.disconnect?.()
