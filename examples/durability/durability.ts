// Calls that outlive their process: a durable ledger, two tools that differ in what can be found out about a lost attempt, and a person
// who answers where nothing else can.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// #region tools
import { defineTool, keyring, openProviso } from '../../src/index.ts'
import { embedded } from '../../src/ledger/index.ts'

const parcel = {
  type: 'object',
  required: ['parcel'],
  additionalProperties: false,
  properties: { parcel: { type: 'string' } },
} as const

const pickups = new Map<string, string>() // stands for a courier that remembers for a day which keys it has seen

const bookPickup = defineTool({
  name: 'book_pickup',
  description: 'Has a courier fetch one parcel.',
  effect: 'MEDIUM_RISK_WRITE',
  input: parcel,
  trusted: true, // no outsider has a say in what comes back
  recovery: { providerWindowMs: 23 * 3_600_000 }, // an hour less than the courier says
  execute({ parcel: id }, { idempotencyKey = '' }) {
    if (!pickups.has(idempotencyKey)) pickups.set(idempotencyKey, id)
    return { booked: true }
  },
})

const printLabel = defineTool({
  name: 'print_label',
  description: 'Prints the label of one parcel.',
  effect: 'MEDIUM_RISK_WRITE',
  input: parcel,
  execute() {
    throw new Error('The printer does not answer.') // it may have printed the label, or not
  },
})
// #endregion tools

const dir = await mkdtemp(join(tmpdir(), 'proviso-durability-'))
await chmod(dir, 0o711) // so that the server's own user may pass, where this runs as root

// #region open
const tools = [bookPickup, printLabel]
const people = keyring()
const proviso = await openProviso({ ledger: await embedded({ dir }), tools, identity: people })
const context = { user: 'ann', run: 'shift-4' }

const pickup = { tool: 'book_pickup', arguments: '{"parcel":"p_7"}' }
const booked = await proviso.call(pickup, context)
console.log(booked.effect, booked.value)
// #endregion open

// #region held
const label = { tool: 'print_label', arguments: '{"parcel":"p_7"}' }
const lost = await proviso.call(label, context)
console.log(lost.effect, lost.response.next_action)

const [held] = await proviso.calls.list({ held: true })
const [question] = await proviso.escalations.list()
console.log(held?.key.tool, '–', question?.message)

// Bob walks to the printer and looks.
const bob = await people.issue({ user: 'bob', roles: ['operator'] })
await proviso.calls.resolve(held?.id ?? '', {
  effect: 'happened',
  why: 'The label lies in the tray.',
  credential: bob,
})
// #endregion held
await proviso.close()

// #region again
// Later, in any process that opens the same ledger:
const later = await openProviso({ ledger: await embedded({ dir }), tools })
for (const proposal of [pickup, label]) {
  const { effect, observation } = await later.call(proposal, context)
  console.log(proposal.tool, effect, observation.execution_metadata.idempotency_hit)
}
console.log(pickups.size)
// #endregion again
await later.close()
await rm(dir, { recursive: true, force: true })
