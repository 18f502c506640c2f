// A process that records calls without end and takes its turn as sequencer, to be killed. Says on stdout when it has written.
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { recordCalls } from '../../bench/audit/record-calls.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'

const [url = '', folder = '', tenant = ''] = process.argv.slice(2)
const ledger = await postgres(url, { connections: 3, log: { keyFile: join(folder, 'audit.key') } })
// Several of these share a machine with the rest of the tests. Where that is slow, what has to be verified must not outgrow it.
for (let rounds = 1; ; rounds++) {
  await recordCalls(ledger, { tenant, calls: 40 })
  process.stdout.write('.')
  await setTimeout(rounds < 30 ? 50 : 1_000)
}
