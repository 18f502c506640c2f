// The process that dies: it makes one call and, once the mail provider has taken the mail, says so and never comes back. Whoever started
// it ends it there with SIGKILL, between the effect and its record.
import { openProviso } from '../../../src/index.ts'
import { embedded } from '../../../src/ledger/index.ts'
import { tenant } from '../clerk.ts'
import { billingTools } from '../tools.ts'
import { openDesk } from '../world/desk.ts'
import type { DoomedCall } from './crash.ts'

/** So short that nobody has to wait long for the recovery; the default is fifteen seconds. */
const leaseMs = 2_000

const { folder, ledgerFolder, proposal, context }: DoomedCall = JSON.parse(process.argv[2] ?? '')
const desk = await openDesk(folder)
const mail = {
  ...desk.mail,
  async send(...request: Parameters<typeof desk.mail.send>) {
    await desk.mail.send(...request)
    process.send?.('taken')
    return new Promise<never>(() => {})
  },
}
const { everyday, critical } = billingTools({ ...desk, mail })
const ledger = await embedded({ dir: ledgerFolder, leaseMs })
const proviso = await openProviso({ tools: [...everyday, ...critical], tenants: [tenant], ledger })
const answer = await proviso.call(proposal, context)
// Only a call that was refused comes to this line.
process.send?.(`${answer.response.error_code}: ${answer.observation.result_payload.errors[0]?.message ?? ''}`)
await proviso.close()
process.disconnect?.()
