// Plays one history on a ledger and on the model of it, the ledger in memory: every answer and everything that can be read afterwards is
// the same. Requests are made from what the model knows, as the pipeline makes them from what it has read.
import { expect } from 'vitest'
import type { ApprovalRequest } from '../../../src/contract/approval/approval.ts'
import type { SettleRequest } from '../../../src/contract/call/settlement.ts'
import type { SlotRecord } from '../../../src/contract/call/slot.ts'
import { type ManualClock, manualClock } from '../../../src/json/clock.ts'
import { memory } from '../../../src/ledger/memory/memory.ts'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { AdmitRequest, PassEntry } from '../../../src/ledger/ports/operations.ts'
import { judgeSlot } from '../../../src/ledger/rules/slot.ts'
import {
  admission,
  answerOf,
  approval,
  callId,
  callRecord,
  claim,
  entryOf,
  escalation,
  fact,
  issue,
  people,
  says,
  settlement,
  slot,
} from '../requests.ts'
import { type AdmitOp, approvalCount, ends, providerIds, type RecordOp, type Step, slotKinds } from './steps.ts'

/** A ledger whose clock stands where it is put. */
export interface Subject {
  readonly ledger: Ledger
  setClock(ms: number): Promise<void>
}

let numbers = 10_000_000
const nextNumber = () => ++numbers

interface Play {
  readonly tenant: string
  readonly model: Ledger
  readonly clock: ManualClock
  readonly last: Map<number, AdmitRequest>
  readonly calls: string[]
}

/** Each history is played in a tenant of its own, so that one database serves them all. */
export async function compare(steps: readonly Step[], { ledger, setClock }: Subject): Promise<void> {
  const clock = manualClock()
  const play: Play = { tenant: `t${nextNumber()}`, model: memory({ clock }), clock, last: new Map(), calls: [] }
  await setClock(clock.now())
  // A person has approved something already.
  for (const each of [play.model, ledger]) {
    await each.approvals.open(approvalOf(0, { quorum: 1, ttlMs: 600_000 }, play), 1)
    await each.approvals.decide(`${play.tenant}-0`, says('ann', 'approved'), issue, play.tenant)
  }
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'advance') {
      clock.advance(step.ms)
      await setClock(clock.now())
      continue
    }
    const work = await prepare(step, play)
    // All in one turn on the ledger; the model takes each to its end before the next.
    const answers = await Promise.all(work.map((run) => run(ledger)))
    const wanted: unknown[] = []
    for (const run of work) wanted.push(await run(play.model))
    expect(plain(answers), `the answers to step ${index}, ${step.kind}`).toEqual(plain(wanted))
  }
  expect(await stateOf(ledger, play)).toEqual(await stateOf(play.model, play))
}

type Work = (ledger: Ledger) => Promise<unknown>

async function prepare(step: Exclude<Step, { kind: 'advance' }>, play: Play): Promise<readonly Work[]> {
  const { tenant } = play
  switch (step.kind) {
    case 'admit': {
      const requests = await Promise.all(step.ops.map((op) => admitRequest(op, play, step.ops.length === 1)))
      return requests.map((request) => async (ledger) => ledger.operations.admit(request))
    }
    case 'record': {
      const entries = await Promise.all(step.ops.map((op) => passEntry(op, play)))
      return entries.flatMap((entry) =>
        entry === undefined ? [] : [async (ledger: Ledger) => ledger.operations.record(entry)],
      )
    }
    case 'resolve': {
      const record = await newest(step.slot, play)
      const resolution = {
        tenant: step.stranger ? 'stranger' : tenant,
        callId: record?.callId ?? callId(nextNumber()),
        effect: step.effect,
        by: 'ann',
        why: 'looked',
        quorum: 1,
      }
      return [async (ledger) => ledger.operations.resolve(resolution)]
    }
    case 'ask': {
      const request = approvalOf(step.approval, step, play)
      const known = await play.model.approvals.get(request.id)
      return known === undefined ? [async (ledger) => ledger.approvals.open(request, 1)] : []
    }
    case 'raise': {
      const counter = step.sum ? sum : { name: callsOf('run-0'), windowMs: undefined }
      const raise = { ...counter, id: step.id, tenant, amount: step.amount, by: 'ann', why: 'asked' }
      return [async (ledger) => ledger.limits.raise(raise)]
    }
    case 'decide':
      return [
        async (ledger) =>
          ledger.approvals.decide(`${tenant}-${step.approval}`, says(step.by, step.verdict), issue, tenant),
      ]
  }
}

const approvalOf = (
  number: number,
  { quorum, ttlMs }: { readonly quorum: number; readonly ttlMs: number },
  { tenant }: Play,
): ApprovalRequest =>
  approval({
    id: `${tenant}-${number}`,
    subject: { tenant, slotKey: slotKey(number), generation: 1, payloadHash: 'p' },
    requirement: people(quorum),
    ttlMs,
  })

const callsOf = (run: string) => `budget:write:=${run}`
const sum = { name: 'budget:sum:', windowMs: 2_000 }
const counters = [...['run-0', 'run-1'].map((run) => ({ name: callsOf(run), windowMs: undefined })), sum]

const slotKey = (number: number) => `slot-${number}`

async function newest(number: number, { model, tenant }: Play): Promise<SlotRecord | undefined> {
  return (await model.operations.slot(tenant, slotKey(number), undefined)).record
}

/**
 * A request that is sent again may name a generation that is no longer the next one; the ledger then asks again with the right one, after
 * all else that came in that turn. So it comes alone.
 */
async function admitRequest(op: AdmitOp, play: Play, alone: boolean): Promise<AdmitRequest> {
  const { tenant, model, last, calls } = play
  const sent = op.again && alone ? last.get(op.slot) : undefined
  if (sent !== undefined) return sent
  const ref = slot({
    tenant,
    key: slotKey(op.slot),
    kind: slotKinds[op.slot] ?? 'call',
    requestHash: op.hash,
    providerCallId: op.provider,
    run: op.run,
    resource: op.resource,
  })
  const { record, at } = await model.operations.slot(tenant, ref.key, ref.providerCallId)
  const judgement = judgeSlot(record, ref, at)
  const id = callId(nextNumber())
  const request = admission({
    unseen: op.unseen,
    callId: id,
    tenant,
    nonce: callId(nextNumber()),
    entry: entryOf(
      { id, key: keyOf(id, play), status: 'RUNNING', effect: 'unknown' },
      // What gates note may be what Postgres does not take for JSON.
      { facts: [fact({ callId: id, evidence: '\u0000 \ud800' })] },
    ),
    slot: ref,
    generation: (record?.generation ?? 1) + (judgement.kind === 'generation' ? 1 : 0),
    approval: op.approval === undefined ? undefined : { id: `${tenant}-${op.approval}`, payloadHash: 'p' },
    rate: rateOf(op, alone),
    claims: [
      claim(op.callsMax, { name: callsOf(op.run) }),
      ...(op.amount === undefined ? [] : [claim(op.sumMax, { ...sum, amount: op.amount, currency: 'EUR' })]),
    ],
  })
  last.set(op.slot, request)
  calls.push(id)
  return request
}

/**
 * A block of a wide rate would use up another of the same name; and where calls come at once, those that draw from a block may come after
 * others, or before them by the shorter way. So a wide one comes alone.
 */
const rateOf = ({ rateMax }: AdmitOp, alone: boolean) =>
  rateMax > 20
    ? { scope: alone ? 'wide' : 'tool', windowMs: 1_000, max: alone ? rateMax : 20 }
    : { scope: 'tool', windowMs: 1_000, max: rateMax }

const keyOf = (id: string, { tenant }: Play) => ({ ...callRecord().key, tenant, providerCallId: id })

/** Undefined where an attempt would end that was never begun. */
async function passEntry(op: RecordOp, play: Play): Promise<PassEntry | undefined> {
  const record = await newest(op.slot, play)
  const generation = Math.max(1, (record?.generation ?? 1) - op.generationsBack)
  const place = { slotKey: slotKey(op.slot), generation }
  if (op.kind !== 'settle') {
    const id = callId(nextNumber())
    play.calls.push(id)
    const told =
      op.kind === 'seen'
        ? { seen: { ...place, providerCallId: op.provider } }
        : { amend: { ...place, answer: answerOf(`amended by ${id}`) } }
    return entryOf({ id, key: keyOf(id, play) }, told)
  }
  if (record === undefined) return undefined
  const id = record.callId
  const settle: SettleRequest = settlement({
    ...place,
    ...ends[op.end],
    callId: id,
    tenant: play.tenant,
    attempt: Math.max(1, record.attempt - op.attemptsBack),
    tries: op.tries,
    answer: answerOf(`settled by ${id}`),
    ttlMs: op.ttlMs,
  })
  const escalations =
    op.asks && op.end === 'held' ? [escalation(nextNumber(), { tenant: play.tenant, callId: id })] : []
  const call = {
    id,
    key: keyOf(id, play),
    effect: ends[op.end].effect,
    told: { errors: [], warnings: [`settled by ${id}`] },
  }
  return entryOf(call, { settle, escalations, facts: [fact({ callId: id, seq: nextNumber() })] })
}

/** All that a history can have changed, as the port shows it. */
async function stateOf(ledger: Ledger, { tenant, calls }: Play) {
  const reads = slotKinds.flatMap((_, number) =>
    providerIds.map(async (provider) => (await ledger.operations.slot(tenant, slotKey(number), provider)).record),
  )
  const approvals = Array.from({ length: approvalCount }, (_, number) => ledger.approvals.get(`${tenant}-${number}`))
  // The facts of an admission that is sent again are the same facts, kept once or twice.
  const facts = [...new Set(calls)].map(async (id) => [
    ...new Set((await ledger.calls.facts(id)).map(({ seq, verdict }) => JSON.stringify([seq, verdict]))),
  ])
  const open = (await ledger.calls.escalations(tenant)).map(({ callId: id, kind }) => `${id} ${kind}`)
  const kept = (await ledger.calls.list({ tenant, limit: 1_000 })).map(({ id, status, effect, told }) => ({
    id,
    status,
    effect,
    told,
  }))
  return plain({
    slots: await Promise.all(reads),
    approvals: await Promise.all(approvals),
    facts: await Promise.all(facts),
    escalations: open.sort(),
    balances: await ledger.limits.balances(tenant, counters),
    calls: kept.sort((a, b) => (a.id < b.id ? -1 : 1)),
  })
}

/** Without what is undefined: bytes in a database do not have it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
