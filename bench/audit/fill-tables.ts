// Fills a ledger so that every table of it has rows, by what Proviso itself does, and retires a part of it. Nothing in it was edited.
import { type EpochMs, epochMs } from '../../src/json/clock.ts'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { TransparencyLog } from '../../src/ledger/ports/transparency-log.ts'
import {
  admission,
  answerOf,
  approval,
  callId,
  callRecord,
  claim,
  distinct,
  entryOf,
  escalation,
  fact,
  issue,
  people,
  sagaStart,
  says,
  settleOn,
  slot,
  unknown,
  verification,
} from '../../test/ledger/requests.ts'
import { recordCalls } from './record-calls.ts'

const weekMs = 7 * 86_400_000
const farAway = new Date(Date.UTC(2090, 0, 1)).toISOString()
const { key } = callRecord()

export async function fillTables(ledger: Ledger, log: TransparencyLog): Promise<void> {
  await recordCalls(ledger, { tenant: 'acme', calls: 3, from: Date.now() - 4 * weekMs })
  await log.checkpoint()
  const retired = await log.retire({ before: epochMs(Date.now() - 2 * weekMs), reason: 'kept for two weeks' })
  if (!retired.ok) throw new Error(retired.reason)
  await fillOperations(ledger)
  await fillApprovals(ledger)
  await fillInstallation(ledger)
  await ledger.runs.addLabels('acme', 'run-1', ['untrusted'])
  await ledger.runs.addLabels('acme', 'run-2', ['secret'], 'run-1')
  await ledger.runs.discover('acme', 'run-1', ['tool_v1'])
  await ledger.versions.ofRun('acme', 'run-1', new Map([['tool', '1.0.0']]))
  const at = epochMs(Date.now())
  const question = escalation(9, { kind: 'repair_exhausted' })
  await ledger.repairs.refused(
    {
      tenant: 'acme',
      run: 'run-1',
      agent: undefined,
      user: undefined,
      turn: undefined,
      tool: 'tool',
      contractHash: 'c',
    },
    { payload: 'p', errors: 'e', callId: callId(1), providerCallId: 'p1', at, openedAt: at, maxRepairs: 3, question },
  )
  await ledger.results.save('acme', callId(1), { large: 'result' })
  const { saga } = await ledger.sagas.create(sagaStart(), 60_000)
  const line = { kind: 'turned', step: 'hotel', message: 'No room.' } as const
  await ledger.sagas.append({
    tenant: 'acme',
    id: saga.id,
    epoch: saga.epoch,
    seq: saga.seq,
    entries: [line],
    state: 'COMPENSATING',
    direction: 'backward',
    dueMs: 60_000,
  })
  const raise = { id: 'raise-1', tenant: 'acme', name: 'budget:day:', windowMs: 86_400_000, amount: 50 }
  await ledger.limits.raise({ ...raise, by: 'ann', why: 'asked' })
  await log.checkpoint()
}

/** Ended plainly, ended by the function, on a resource, held, to be read back, and amended. */
async function fillOperations(ledger: Ledger): Promise<void> {
  const { operations } = ledger
  const wide = { scope: 'tool', windowMs: 86_400_000, max: 1_000_000 }
  const plain = admission({ unseen: true, rate: wide, entry: entryOf({ status: 'RUNNING', effect: 'unknown' }) })
  await operations.admit(plain)
  await settleOn(ledger, { nonce: plain.nonce, answer: answerOf('plain') }, { facts: [fact()] })
  for (const number of [2, 3, 4, 5]) {
    const own = { ...key, providerCallId: `p${number}` }
    const resource = number < 4 ? { resource: 'r' } : {}
    const place = slot({ key: `slot-${number}`, providerCallId: `p${number}`, kind: 'implicit', ...resource })
    await operations.admit(distinct(number, { slot: place, claims: [claim(100)] }))
    const end = { callId: callId(number), slotKey: `slot-${number}`, answer: answerOf(`${number}`) }
    const call = { id: callId(number), key: own }
    const settle = { ...settlementOf(end), ...(number === 5 ? { ...unknown, answer: undefined } : {}) }
    await operations.record(
      entryOf(call, {
        settle,
        facts: [fact({ callId: callId(number) })],
        ...(number === 4 ? { verify: verification({ slotKey: 'slot-4' }) } : {}),
        ...(number === 5 ? { escalations: [escalation(1, { callId: callId(5) })] } : {}),
      }),
    )
  }
  await operations.record(
    entryOf({ id: callId(6) }, { seen: { slotKey: 'slot-4', generation: 1, providerCallId: 'p6' } }),
  )
  // One of two people has said what became of the held one.
  const word = { tenant: 'acme', callId: callId(5), effect: 'happened', by: 'ann', why: 'seen', quorum: 2 } as const
  await operations.resolve(word)
  await operations.record(
    entryOf(
      { id: callId(7), key: { ...key, providerCallId: 'p7' } },
      { trails: true, facts: [fact({ callId: callId(7) })] },
    ),
  )
}

const settlementOf = (end: {
  readonly callId: string
  readonly slotKey: string
  readonly answer: ReturnType<typeof answerOf>
}) => ({
  tenant: 'acme',
  nonce: '',
  generation: 1,
  attempt: 1,
  tries: 1,
  status: 'COMPLETED' as const,
  effect: 'happened' as const,
  held: false,
  ttlMs: 86_400_000,
  rebuild: false,
  named: false,
  ...end,
})

async function fillApprovals({ approvals }: Ledger): Promise<void> {
  await approvals.open(
    approval({ subject: { tenant: 'acme', slotKey: 'slot-9', generation: 1, payloadHash: 'p' } }),
    10,
  )
  await approvals.decide('appr-1', says('boss', 'approved'), issue)
  const subject = { tenant: 'acme', slotKey: 'grant:1', generation: 1, payloadHash: 'g' }
  const content = {
    tool: 'refund_v1',
    principal: { user: 'ann', agent: null },
    limits: { count: 2, expires_at: farAway },
  }
  await approvals.open(approval({ id: 'grant-1', kind: 'grant', subject, content, requirement: people(1) }), 10)
  await approvals.decide('grant-1', says('bob', 'approved'), issue)
}

async function fillInstallation({ calls, versions, pins, keys, approvals }: Ledger): Promise<void> {
  await calls.saveContracts(new Map([['c', { name: 'tool' }]]))
  const change = { kind: 'promote', tool: 'tool', version: '1.0.0', from: null } as const
  await versions.decide({ seq: 1, id: 'd', by: 'ann', why: 'It is ready.', change })
  const pin = { source: 'server', capabilities: {}, kind: 'mcp', revision: 1, tools: [], malformed: [] } as const
  await pins.save(pin, 'person')
  const terms = {
    tenant: 'acme',
    user: 'ann',
    kind: 'person',
    roles: ['approver'],
    scopes: [],
    agent: undefined,
  } as const
  await keys?.save({
    ...terms,
    id: 'key-1',
    hash: 'h',
    createdAt: 1 as EpochMs,
    revokedAt: undefined,
    expiresAt: undefined,
  })
  await approvals.signingKeys()
}
