// Whom an approval or a grant lets through, and which ends give an approval back.
import { admissionOf, endOf, plainEnds, readEnd } from './arrange.ts'
import { admissionText } from './outcome.ts'
import { approve, arrangePacket, grantEnd, packet, packetStates, statusOf } from './packets.ts'
import { admit, approvalOf, grantsOf, openApproval, record, revokeGrant } from './port.ts'
import { type Family, product, type Verdict } from './rows.ts'
import { beginning, type Place } from './stage.ts'

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
      end: plainEnds,
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

export const approvals: readonly Family[] = [usedApprovals, granted, freed]
