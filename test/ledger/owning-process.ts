// A process that was admitted and does not come to its end: says its nonce, and then, for each line, whether it may still act.
import { createInterface } from 'node:readline'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { admission, slot } from './requests.ts'

const ledger = await postgres(process.argv[2] ?? '', { connections: 2, leaseMs: 1_000 })
const request = admission({ slot: slot() })
await ledger.operations.admit(request)
process.stdout.write(`${request.nonce}\n`)
for await (const _ of createInterface({ input: process.stdin }))
  process.stdout.write(`${ledger.operations.mayAct(request.nonce)}\n`)
await ledger.close()
