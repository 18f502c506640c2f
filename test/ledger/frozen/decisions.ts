// What a vote does to an approval, and which request joins a packet that is open.
import type { ApprovalRequest } from '../../../src/contract/approval/approval.ts'
import type { EpochMs } from '../../../src/json/clock.ts'
import { approvalStatus } from '../../../src/ledger/rules/permit.ts'
import { people, says } from '../requests.ts'
import { arrangePacket, type Kind, packet, packetStates, packetTtlMs, raised, statusOf } from './packets.ts'
import { approvalOf, balanceOf, decide, findApproval, grantsOf, openApproval } from './port.ts'
import { type Family, product } from './rows.ts'
import { beginning, type Place } from './stage.ts'

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

export const decisions: readonly Family[] = [votes, openings]
