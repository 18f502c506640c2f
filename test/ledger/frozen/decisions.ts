// What a vote does to an approval, which request joins a packet that is open, and whom an approval or a grant lets through.

import type { ApprovalRequest } from '../../../src/contract/approval.ts'
import { approvalStatus } from '../../../src/contract/approval.ts'
import { type EpochMs, toIso } from '../../../src/json/clock.ts'
import { hashJson } from '../../../src/json/hash.ts'
import { approval, people, question, says } from '../requests.ts'
import { admissionOf, endOf, readEnd } from './arrange.ts'
import { admissionText } from './outcome.ts'
import {
  admit,
  approvalOf,
  balanceOf,
  decide,
  findApproval,
  grantsOf,
  openApproval,
  record,
  revokeGrant,
} from './port.ts'
import { type Family, product, type Verdict } from './rows.ts'
import { beginning, type Place } from './stage.ts'

const packetTtlMs = 60_000
const grantEnd = beginning + 120_000
export const raised = { name: 'budget:sum:', windowMs: undefined }

const contents = {
  call: undefined,
  grant: { tool: 'tool', principal: { user: 'carol' }, limits: { expires_at: toIso(grantEnd as EpochMs) } },
  budget: { name: raised.name, amount: 7, why: 'asked' },
}

export type Kind = keyof typeof contents

/** Carol asks; dave stands behind it; two people at most have to agree. */
export function packet(
  place: Place,
  kind: Kind,
  quorum: number,
  change: Partial<ApprovalRequest> = {},
): ApprovalRequest {
  const { tenant } = place
  const content = contents[kind]
  return approval({
    id: `${tenant}-a`,
    kind,
    callId: place.call(1),
    run: `run of ${tenant}`,
    subject: { tenant, slotKey: 'slot-1', generation: 1, payloadHash: 'p' },
    ground: {
      payloadHash: content === undefined ? 'p' : hashJson(content),
      contractHash: 'c',
      executorVersion: null,
      stateVersion: null,
    },
    question: { ...question, tenant, requester: { user: 'carol', agent: undefined } },
    requirement: people(quorum),
    barred: ['dave'],
    content,
    ttlMs: packetTtlMs,
    ...change,
  })
}

const packetStates = [
  'pending',
  'pending with a vote',
  'approved',
  'rejected',
  'superseded',
  'superseded after approval',
  'expired',
  'expired after approval',
  'used',
]

const approve = (place: Place, by: string, id = 'a') =>
  decide(place.ledger, `${place.tenant}-${id}`, says(by, 'approved'), place.tenant)

/** Ann votes first, and eve where two have to; then what the state says comes over it. */
export async function arrangePacket(place: Place, state: string, kind: Kind, quorum: number): Promise<void> {
  const { ledger, tenant } = place
  await openApproval(ledger, packet(place, kind, quorum), 10)
  if (['pending', 'superseded', 'expired'].includes(state)) await place.at(0)
  else if (state === 'rejected') await decide(ledger, `${tenant}-a`, says('ann', 'rejected'), tenant)
  else {
    await approve(place, 'ann')
    if (quorum === 2 && state !== 'pending with a vote') await approve(place, 'eve')
  }
  if (state.startsWith('superseded')) {
    const other = packet(place, kind, quorum, { id: `${tenant}-b`, packetHash: 'shown anew', callId: place.call(2) })
    await openApproval(ledger, other, 10)
  }
  if (state === 'used') {
    const wanted = { approval: { id: `${tenant}-a`, payloadHash: 'p' } }
    await admit(ledger, admissionOf(place, { call: 5, provider: 'p5' }, wanted))
  }
  await place.at(state.startsWith('expired') ? packetTtlMs : packetTtlMs - 1)
}

async function statusOf(place: Place, id = 'a'): Promise<string> {
  const found = await approvalOf(place.ledger, `${place.tenant}-${id}`)
  return found === undefined ? 'none' : approvalStatus(found, (beginning + packetTtlMs - 1) as EpochMs)
}

const voters = ['new', 'ann', ' ANN ', 'requester', 'barred', 'agent', 'nobody']
const voterOf = (place: Place, voter: string) =>
  says({ new: 'zoe', requester: 'carol', barred: 'dave', agent: 'robot', nobody: ' ' }[voter] ?? voter, 'approved', {
    ...(voter === 'agent' ? { kind: 'agent' as const } : {}),
    reason: place.tenant,
  })

const votes: Family = {
  name: 'decisions',
  combinations: () => [
    ...product({
      kind: ['call'],
      state: packetStates,
      quorum: ['1', '2'],
      verdict: ['approved', 'rejected'],
      packet: ['as shown', 'another'],
      voter: voters,
    }),
    ...product({
      kind: ['grant', 'budget'],
      state: packetStates.filter((state) => state !== 'used'),
      quorum: ['1', '2'],
      verdict: ['approved', 'rejected'],
      packet: ['as shown'],
      voter: ['new', 'ann'],
    }),
  ],
  async play({ kind = '', state = '', quorum, verdict, packet: shown, voter = '' }, place) {
    const { ledger, tenant } = place
    await arrangePacket(place, state, kind as Kind, Number(quorum))
    const before = await approvalOf(ledger, `${tenant}-a`)
    const vote = {
      ...voterOf(place, voter),
      verdict: verdict as 'approved' | 'rejected',
      packetHash: shown === 'as shown' ? 'shown' : 'other',
    }
    const after = await decide(ledger, `${tenant}-a`, vote, tenant)
    const at = (beginning + (state.startsWith('expired') ? packetTtlMs : packetTtlMs - 1)) as EpochMs
    return {
      found: before === undefined ? 'none' : approvalStatus(before, at),
      status: after === undefined ? 'none' : approvalStatus(after, at),
      votes: `${before?.decisions.length} before, ${after?.decisions.length} after`,
      token: after?.token === undefined ? 'none' : after.token.replace(tenant, 'row'),
      grants: (await grantsOf(ledger, tenant, true)).length,
      raised: (await balanceOf(ledger, tenant, raised))?.raised ?? -1,
    }
  },
}

const rivals: Readonly<Record<string, Partial<ApprovalRequest>>> = {
  'the same': {},
  'another packet': { packetHash: 'shown anew' },
  'another payload': { subject: { tenant: '', slotKey: 'slot-1', generation: 1, payloadHash: 'q' } },
  'another generation': { subject: { tenant: '', slotKey: 'slot-1', generation: 2, payloadHash: 'p' } },
  'another operation': { subject: { tenant: '', slotKey: 'slot-2', generation: 1, payloadHash: 'p' } },
  'more people': { requirement: people(3) },
  'fewer people': { requirement: people(1) },
}

/** Packet `a` needs two people. Packet `b` is asked for in its place, joins it, or stands beside it. */
const openings: Family = {
  name: 'approvals-opened',
  combinations: () =>
    product({
      state: packetStates,
      asked: Object.keys(rivals),
      replaces: ['nothing', 'it'],
      waiting: ['for nothing', 'for it'],
      room: ['for one more', 'for none'],
    }),
  async play({ state = '', asked = '', replaces, waiting, room }, place) {
    const { ledger, tenant } = place
    await arrangePacket(place, state, 'call', 2)
    const rival = rivals[asked] ?? {}
    const subject = rival.subject === undefined ? {} : { subject: { ...rival.subject, tenant } }
    const request = packet(place, 'call', 2, {
      ...rival,
      ...subject,
      id: `${tenant}-c`,
      callId: place.call(3),
      replaces: replaces === 'it' ? `${tenant}-a` : undefined,
      waiting: waiting === 'for it' ? `${tenant}-a` : undefined,
    })
    const opened = await openApproval(ledger, request, room === 'for none' ? 1 : 10)
    const which = (id: string | undefined) => (id === undefined ? 'none' : id.replace(`${tenant}-`, ''))
    return {
      opened: which(opened?.id),
      attached: (await approvalOf(ledger, `${tenant}-a`))?.attached.length ?? 0,
      a: await statusOf(place),
      b: await statusOf(place, 'b'),
      newest: which((await findApproval(ledger, request.subject, undefined))?.id),
      'newest in the run': which((await findApproval(ledger, request.subject, request.run))?.id),
    }
  },
}

/** Who may use an approval: which payload, operation and generation ask, and whose tenant. */
const usedApprovals: Family = {
  name: 'admissions-approved',
  combinations: () => [
    ...product({
      approval: ['none', ...packetStates],
      payload: ['its own', 'another'],
      operation: ['its own', 'another', 'none'],
      generation: ['its own', 'a later one'],
      tenant: ['its own'],
      nonce: ['new', 'of its user'],
    }),
    ...product({
      approval: ['approved'],
      payload: ['its own'],
      operation: ['its own', 'none'],
      generation: ['its own'],
      tenant: ['another'],
      nonce: ['new'],
    }),
  ],
  async play(given, place) {
    const { ledger, tenant } = place
    const paid = given.operation === 'none'
    // Started over before anything is asked, so that the operation stands in its second generation.
    if (given.generation !== 'its own') {
      await admit(ledger, admissionOf(place, { call: 4, provider: 'p4' }))
      await record(ledger, endOf(place, { call: 4, nonce: 4, end: readEnd('FAILED_FINAL none') }))
    }
    if (given.approval === 'used' && paid) await usePaid(place)
    else if (given.approval !== 'none') await arrangePacket(place, given.approval ?? '', 'call', 1)
    const owner = given.tenant === 'its own' ? tenant : `${tenant} beside`
    const request = admissionOf(
      { ...place, tenant: owner },
      {
        call: 2,
        nonce: given.nonce === 'new' ? 2 : 5,
        slot: given.operation === 'another' ? 'slot-2' : 'slot-1',
        provider: 'p2',
      },
      { approval: { id: `${tenant}-a`, payloadHash: given.payload === 'its own' ? 'p' : 'q' } },
    )
    const generation = given.generation !== 'its own' && given.operation !== 'another' ? 2 : 1
    const asked = paid ? { ...request, slot: undefined, exact: true } : { ...request, generation }
    const outcome = await admit(ledger, asked)
    const found = await approvalOf(ledger, `${tenant}-a`)
    const used = found?.usedBy
    const user = [2, 5].find((number) => place.call(number) === used)
    return {
      answer: admissionText(request, undefined, outcome),
      'used by': used === undefined ? 'none' : `call ${user}`,
    }
  },
}

/** A paid read has used it; a read has no operation that could be asked again. */
async function usePaid(place: Place): Promise<void> {
  await arrangePacket(place, 'approved', 'call', 1)
  const wanted = { approval: { id: `${place.tenant}-a`, payloadHash: 'p' }, slot: undefined, exact: true }
  await admit(place.ledger, { ...admissionOf(place, { call: 5 }), ...wanted })
}

const grantStates = ['none', 'not yet approved', 'in force', 'in its last moment', 'over', 'revoked']

const granted: Family = {
  name: 'admissions-granted',
  combinations: () => product({ grant: grantStates, tenant: ['its own', 'another'], operation: ['new', 'none'] }),
  async play({ grant: state = '', tenant: whose, operation }, place) {
    const { ledger, tenant } = place
    if (state !== 'none') await openApproval(ledger, packet(place, 'grant', 1), 10)
    if (!['none', 'not yet approved'].includes(state)) await approve(place, 'ann')
    if (state === 'revoked') await revokeGrant(ledger, `${tenant}-a`)
    const moment = { 'in its last moment': grantEnd - 1, over: grantEnd }[state] ?? beginning + 1_000
    await place.at(moment - beginning)
    const owner = whose === 'its own' ? tenant : `${tenant} beside`
    const request = admissionOf(
      { ...place, tenant: owner },
      { call: 2, provider: 'p2' },
      { grant: { id: `${tenant}-a` } },
    )
    const asked = operation === 'none' ? { ...request, slot: undefined, exact: true } : request
    return {
      answer: admissionText(request, undefined, await admit(ledger, asked)),
      'in force': (await grantsOf(ledger, tenant, true)).length,
    }
  },
}

/** Which ends give an approval back: call 1 uses it, and ends. */
const freed: Family = {
  name: 'settles-approved',
  combinations: () =>
    product({
      found: ['admitted', 'PENDING unknown held', 'FAILED_RETRYABLE none', 'FAILED_FINAL none', 'COMPLETED happened'],
      end: ['PENDING', 'COMPLETED', 'FAILED_RETRYABLE', 'FAILED_FINAL', 'COMPENSATED'].flatMap((status) =>
        ['none', 'happened', 'unknown'].map((effect) => `${status} ${effect}`),
      ),
      attempt: ['same', 'later'],
      operation: ['its own'],
    }).concat(
      product({
        found: ['admitted'],
        end: ['FAILED_RETRYABLE none', 'FAILED_FINAL none', 'COMPLETED happened'],
        attempt: ['same'],
        operation: ['none'],
      }),
    ),
  async play(given, place): Promise<Verdict> {
    const { ledger, tenant } = place
    const paid = given.operation === 'none'
    await openApproval(ledger, packet(place, 'call', 1), 10)
    await approve(place, 'ann')
    const wanted = { approval: { id: `${tenant}-a`, payloadHash: 'p' } }
    const request = admissionOf(place, { call: 1, provider: 'p1' }, wanted)
    await admit(ledger, paid ? { ...request, slot: undefined, exact: true } : request)
    if (given.found !== 'admitted')
      await record(ledger, endOf(place, { call: 1, nonce: 1, end: readEnd(given.found ?? '') }))
    const entry = endOf(place, {
      call: 1,
      nonce: 1,
      attempt: given.attempt === 'same' ? 1 : 2,
      end: readEnd(given.end ?? ''),
    })
    const { settle } = entry
    const said = paid && settle !== undefined ? { ...entry, settle: { ...settle, slotKey: undefined } } : entry
    const answer = await record(ledger, said)
    return { answer, approval: await statusOf(place) }
  },
}

export const decisions: readonly Family[] = [votes, openings, usedApprovals, granted, freed]
