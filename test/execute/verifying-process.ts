// A process that is killed by its test. `call`: its call is settled and comes no further. `verify`: reads back what is due, once told to.
import { once } from 'node:events'
import { openProviso } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { laterBy } from '../ledger/databases.ts'
import { fileTool } from './ledger-of-files.ts'

const [job = '', url = '', folder = '', delay = '', id = ''] = process.argv.slice(2)
const tools = [fileTool(folder, Number(delay))]

if (job === 'call') {
  // After the settle, and before anything is read.
  const standStill = { name: 'still', postToolUse: () => new Promise<never>(() => process.stdout.write('settled\n')) }
  const ledger = await postgres(url, { connections: 2 })
  const proviso = await openProviso({ ledger, tools, sweepMs: 3_600_000, hooks: [standStill] })
  const proposal = { tool: 'file_payment_v1', arguments: { id, enter: id !== 'lost' }, callId: `call-${id}` }
  await proviso.call(proposal, { tenant: 'acme', user: 'ann', run: 'run-1' })
} else {
  const ledger = await postgres(url, { connections: 2, ...laterBy(3_600_000) })
  const proviso = await openProviso({ ledger, tools, sweepMs: 3_600_000 })
  process.stdout.write('ready\n')
  await once(process.stdin, 'data')
  await proviso.verify()
  await proviso.close()
  process.exit(0)
}
