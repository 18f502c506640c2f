// Packets that people are asked to decide on, brought to the state that a row names.
import type { ApprovalRequest } from '../../../src/contract/approval/approval.ts'
import { type EpochMs, toIso } from '../../../src/json/clock.ts'
import { hashJson } from '../../../src/json/hash.ts'
import { approvalStatus } from '../../../src/ledger/rules/permit.ts'
import { approval, people, question, says } from '../requests.ts'
import { admissionOf } from './arrange.ts'
import { admit, approvalOf, decide, openApproval } from './port.ts'
import { beginning, type Place } from './stage.ts'

export const packetTtlMs = 60_000
export const grantEnd = beginning + 120_000
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

export const packetStates = [
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

export const approve = (place: Place, by: string, id = 'a') =>
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

/** How it stands in its last moment: one that has expired since is told by how it stood then. */
export async function statusOf(place: Place, id = 'a'): Promise<string> {
  const found = await approvalOf(place.ledger, `${place.tenant}-${id}`)
  return found === undefined ? 'none' : approvalStatus(found, (beginning + packetTtlMs - 1) as EpochMs)
}
