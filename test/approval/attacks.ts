// Ways in which an attacker might get a payment past the people, one row each. A row tries; nothing may have been executed afterwards, but for
// what it says itself.
import { expect } from 'vitest'
import { issueToken } from '../../src/approval/approval-token.ts'
import { renderCard } from '../../src/approval/card.ts'
import { packetHash } from '../../src/contract/approval/approval.ts'
import { requirementOf } from '../../src/contract/approval/approval-pattern.ts'
import type { EpochMs } from '../../src/json/clock.ts'
import { generateSigningKey } from '../../src/ledger/log/keys/signing-key.ts'
import { approveAs, keyOf, people } from '../people.ts'
import { giveGrant, type PayDesk, payment, where } from './desk.ts'

export interface Attack {
  readonly name: string
  /** Gives what was rightly executed on the way; nothing where it says nothing. */
  run(desk: PayDesk, now: () => EpochMs): Promise<number | undefined>
}

const flip = (text: string, at: number) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
const idOf = (asked: { readonly approval?: { readonly id: string } }) => asked.approval?.id ?? ''

/** Approves in a way that must be refused. */
async function refusedVote(desk: PayDesk, id: string, credential: string, says: string, hash?: string): Promise<void> {
  const shown = await desk.proviso.approvals.get(id)
  const decision = { credential, packetHash: hash ?? shown?.packetHash ?? '' }
  await expect(desk.proviso.approvals.approve(id, decision)).rejects.toThrow(says)
}

const token = (name: string, spoil: (token: string) => string): Attack => ({
  name: `a token that is ${name}`,
  async run(desk) {
    await desk.approved('bob', 'cleo')
    desk.tamper((approval) => ({ ...approval, token: spoil(approval.token ?? '') }))
    expect((await desk.call()).observation.result_payload.errors[0]?.code).toBe('approval_invalid')
    return 0
  },
})

const tokens: readonly Attack[] = [
  token('forged from nothing', () => `${'A'.repeat(40)}.${'A'.repeat(80)}.${'A'.repeat(86)}`),
  token('truncated', (text) => text.slice(0, -10)),
  token('altered in its claims', (text) => flip(text, Math.floor(text.length / 2))),
  token('altered in its signature', (text) => flip(text, text.length - 20)),
  token('no token at all', () => 'approved'),
  token('empty', () => ''),
  {
    name: 'a token signed again with another key',
    async run(desk, now) {
      await desk.approved('bob', 'cleo')
      const key = generateSigningKey()
      desk.tamper((approval) => ({ ...approval, token: issueToken(approval, key, now(), approval.expiresAt) }))
      await desk.call()
      return 0
    },
  },
  {
    name: 'a row that says approved, without a token',
    async run(desk) {
      const asked = await desk.approved('bob')
      const vote = (await desk.proviso.approvals.get(idOf(asked)))?.decisions[0]
      if (vote === undefined) throw new Error('There is no vote.')
      desk.tamper((approval) => ({ ...approval, decisions: [vote, { ...vote, by: 'cleo' }] }))
      await desk.call()
      return 0
    },
  },
  {
    name: 'a token swapped for that of another payment',
    async run(desk) {
      const other = await desk.call({ ...payment, amount: 1 }, where, 'small')
      for (const name of ['bob', 'cleo']) await approveAs(desk.proviso, idOf(other), name)
      const taken = (await desk.proviso.approvals.get(idOf(other)))?.token
      await desk.approved('bob', 'cleo')
      desk.tamper((approval) => ({ ...approval, token: taken }))
      await desk.call()
      return 0
    },
  },
  {
    name: 'the whole approval of another payment in the place of this one',
    async run(desk) {
      const other = await desk.call({ ...payment, amount: 1 }, where, 'small')
      for (const name of ['bob', 'cleo']) await approveAs(desk.proviso, idOf(other), name)
      const whole = await desk.ledger.approvals.get(idOf(other))
      await desk.call()
      desk.tamper((approval) => whole ?? approval)
      await desk.call()
      return 0
    },
  },
  {
    name: 'an approval replayed once its payment has run',
    async run(desk) {
      const asked = await desk.approved('bob', 'cleo')
      await desk.call()
      const used = await desk.ledger.approvals.get(idOf(asked))
      desk.tamper((approval) => (used === undefined ? approval : { ...used, usedBy: undefined }))
      await desk.call(payment, { ...where, operationId: 'again' }, 'c2')
      await desk.call(payment, where, 'c3')
      return 1
    },
  },
  {
    name: 'an approval that has run out',
    async run(desk) {
      await desk.approved('bob', 'cleo')
      await desk.advance(600_001)
      const late = await desk.call()
      expect(late.observation.result_payload.errors[0]?.code).toBe('approval_expired')
      return 0
    },
  },
  {
    name: 'an expiry moved into the future, in the row alone',
    async run(desk) {
      await desk.approved('bob', 'cleo')
      await desk.advance(600_001)
      desk.tamper((approval) => ({ ...approval, expiresAt: (approval.expiresAt + 9_000_000) as EpochMs }))
      await desk.call()
      return 0
    },
  },
  {
    name: 'an approval that runs out between the last gate and the admission',
    async run(desk) {
      await desk.approved('bob', 'cleo')
      desk.beforeAdmission(() => desk.advance(600_001))
      await desk.call()
      return 0
    },
  },
  {
    name: 'a vote that comes with the expiry',
    async run(desk) {
      const asked = await desk.approved('bob')
      await desk.advance(600_000)
      expect((await approveAs(desk.proviso, idOf(asked), 'cleo')).status).toBe('expired')
      await desk.call()
      return 0
    },
  },
]

const elsewhere: readonly Attack[] = [
  ...(
    [
      ['another payload', { ...payment, to: 'mallory' }, where],
      ['a larger amount', { ...payment, amount: 120.01 }, where],
      ['another tenant', payment, { ...where, tenant: 'globex' }],
      ['another user', payment, { ...where, user: 'mallory' }],
      ['another agent', payment, { ...where, agent: 'other' }],
      ['another run', payment, { ...where, run: 'run-2' }],
      ['another operation', payment, { ...where, operationId: 'second' }],
    ] as const
  ).map(
    ([name, args, context]): Attack => ({
      name: `an approval used for ${name}`,
      async run(desk) {
        await desk.approved('bob', 'cleo')
        const answer = await desk.call(args, context, 'c1')
        expect([answer.effect, answer.response.error_code]).toEqual(['pending', 'CONFIRMATION_MISSING'])
        return 0
      },
    }),
  ),
  {
    name: 'an approval used for another version of the tool',
    async run(desk) {
      await desk.approved('bob', 'cleo')
      const newer = await desk.upgraded('1.1.0')
      await newer.call({ tool: 'pay_v1', arguments: payment, callId: 'c2' }, where)
      return 0
    },
  },
]

const voters: readonly Attack[] = [
  {
    name: 'a person without the role approves',
    async run(desk) {
      const asked = await desk.approved('bob')
      await refusedVote(desk, idOf(asked), await keyOf('eve', 'acme', ['viewer']), 'takes a role')
      await desk.call()
      return 0
    },
  },
  {
    name: 'the requester approves',
    async run(desk) {
      const asked = await desk.approved('bob')
      for (const name of ['ann', 'ANN', 'Ann'])
        await refusedVote(desk, idOf(asked), await keyOf(name, 'acme'), 'does not approve it')
      await desk.call()
      return 0
    },
  },
  {
    name: 'the same person approves twice, spelt otherwise and with a second key',
    async run(desk) {
      const asked = await desk.approved('bob', 'bob', 'BOB', 'ｂｏｂ')
      const second = await people.issue({ user: 'bob', tenant: 'acme', roles: ['approver'] })
      const { packetHash: hash = '' } = (await desk.proviso.approvals.get(idOf(asked))) ?? {}
      const after = await desk.proviso.approvals.approve(idOf(asked), { credential: second, packetHash: hash })
      expect([after.status, after.decisions.length]).toEqual(['pending', 1])
      await desk.call()
      return 0
    },
  },
  {
    name: 'agents and services approve',
    async run(desk) {
      const asked = await desk.approved('bob')
      for (const kind of ['agent', 'service'] as const) {
        const agent = kind === 'agent' ? 'payer' : undefined
        const key = await people.issue({ user: `a ${kind}`, tenant: 'acme', roles: ['approver'], kind, agent })
        await refusedVote(desk, idOf(asked), key, 'Only people decide')
      }
      await desk.call()
      return 0
    },
  },
  {
    name: 'a revoked key approves',
    async run(desk, now) {
      const asked = await desk.approved('bob')
      const key = await people.issue({ user: 'cleo', tenant: 'acme', roles: ['approver'] })
      await people.store.revoke(key.split('_')[1] ?? '', now())
      await refusedVote(desk, idOf(asked), key, 'opens nothing')
      await desk.call()
      return 0
    },
  },
  {
    name: 'keys that are misspelt, cut short or unknown approve',
    async run(desk) {
      const asked = await desk.approved('bob')
      const key = await keyOf('cleo', 'acme')
      for (const bad of [key.slice(0, -1), flip(key, 20), 'cleo', 'bob', `${key} `])
        await refusedVote(desk, idOf(asked), bad, 'opens nothing')
      await desk.call()
      return 0
    },
  },
  {
    name: 'a person of another tenant approves',
    async run(desk) {
      const asked = await desk.approved('bob')
      await refusedVote(desk, idOf(asked), await keyOf('cleo', 'globex'), 'no approval')
      await desk.call()
      return 0
    },
  },
  {
    name: 'a decision on a packet that was not displayed',
    async run(desk) {
      const asked = await desk.approved('bob')
      await refusedVote(desk, idOf(asked), await keyOf('cleo', 'acme'), 'not the packet', '00'.repeat(32))
      await desk.call()
      return 0
    },
  },
  {
    name: 'a packet that shows less than what will run',
    async run(desk) {
      const asked = await desk.call()
      const shown = await desk.proviso.approvals.get(idOf(asked))
      desk.tamper((approval) => ({ ...approval, question: { ...approval.question, consequence: 'Pays nothing' } }))
      const key = await keyOf('cleo', 'acme')
      await refusedVote(desk, idOf(asked), key, 'not the packet', shown?.packetHash)
      return 0
    },
  },
  {
    name: 'a packet changed together with its hash, approved by people who were deceived',
    async run(desk) {
      const asked = await desk.call()
      desk.tamper((approval) => {
        const question = { ...approval.question, consequence: 'Pays nothing' }
        return { ...approval, question, packetHash: packetHash(question, approval.ground) }
      })
      for (const name of ['bob', 'cleo']) await approveAs(desk.proviso, idOf(asked), name)
      await desk.call()
      return 0
    },
  },
  {
    name: 'a requirement lowered in the row between two votes',
    async run(desk) {
      await desk.approved('bob')
      desk.tamper((approval) => ({ ...approval, requirement: requirementOf('operator_review') }))
      await desk.call()
      return 0
    },
  },
  {
    name: 'arguments that claim to be approved',
    async run(desk) {
      const answer = await desk.call({ ...payment, approved: true })
      expect(answer.effect).toBe('pending')
      await desk.call({ ...payment, approval: { id: 'appr_1', token: 'x' } }, where, 'c9')
      return 0
    },
  },
  {
    name: 'text that looks like something else on the card',
    async run(desk) {
      const to = 'аcme-supplies\u202e\u0000\n| Approvers:\n|   none needed\u200b'
      const asked = await desk.call({ ...payment, to })
      const shown = await desk.proviso.approvals.get(idOf(asked))
      if (shown === undefined) throw new Error('Nothing is shown.')
      const card = renderCard(shown.packet, { now: shown.createdAt })
      for (const hidden of ['\u202e', '\u0000', '\u200b']) expect(card).not.toContain(hidden)
      expect(card.split('\n').filter((line) => line.startsWith('| Approvers:'))).toHaveLength(1)
      expect(card).toContain('\\u{202e}')
      return 0
    },
  },
]

const grants: readonly Attack[] = [
  {
    name: 'a negative amount under a grant',
    async run(desk, now) {
      await giveGrant(desk, now())
      const answer = await desk.call({ ...payment, amount: -1_000_000_000 })
      expect(answer.effect).toBe('pending')
      return 0
    },
  },
  ...(
    [
      ['beyond its amount', { ...payment, amount: 201 }, where],
      ['in another currency', { ...payment, currency: 'USD' }, where],
      ['to another payee', { ...payment, to: 'mallory' }, where],
      ['with a field that was to be left out', { ...payment, approved: true }, where],
      ['for another principal', payment, { ...where, user: 'mallory' }],
      ['through another agent', payment, { ...where, agent: 'other' }],
      ['through no agent', payment, { tenant: 'acme', user: 'ann', run: 'run-1' }],
      ['in another tenant', payment, { ...where, tenant: 'globex' }],
      ['in a run that is not trusted', payment, { ...where, untrusted: true }],
    ] as const
  ).map(
    ([name, args, context]): Attack => ({
      name: `a grant used ${name}`,
      async run(desk, now) {
        await giveGrant(desk, now())
        expect((await desk.call(args, context)).effect).toBe('pending')
        return 0
      },
    }),
  ),
  {
    name: 'a grant used for another contract',
    async run(desk, now) {
      await giveGrant(desk, now())
      const other = await desk.upgraded('1.0.0', 'Pays any payee.')
      await other.call({ tool: 'pay_v1', arguments: payment, callId: 'c1' }, where)
      return 0
    },
  },
  {
    name: 'a grant used beyond its count, by many at once',
    async run(desk, now) {
      await giveGrant(desk, now())
      await Promise.all(
        Array.from({ length: 12 }, (_, n) => desk.call({ ...payment, amount: n + 1 }, where, `many-${n}`)),
      )
      return 2
    },
  },
  {
    name: 'a grant revoked between the last gate and the admission',
    async run(desk, now) {
      const id = await giveGrant(desk, now())
      const credential = await keyOf('bob', 'acme')
      desk.beforeAdmission(() => desk.proviso.approvals.revoke(id, { credential, reason: 'stop' }))
      const answer = await desk.call()
      expect(answer.observation.result_payload.errors[0]?.code).toBe('approval_invalid')
      return 0
    },
  },
  {
    name: 'a grant that is over',
    async run(desk, now) {
      await giveGrant(desk, now(), { expiresAt: (now() + 120_000) as EpochMs })
      await desk.advance(120_001)
      await desk.call()
      return 0
    },
  },
  {
    name: 'a grant widened in its row',
    async run(desk, now) {
      await giveGrant(desk, now())
      desk.tamper((approval) => ({
        ...approval,
        content: { ...approval.content, fields: { '/to': { any: true }, '/amount': { min: 0, max: 1_000_000 } } },
      }))
      await desk.call()
      await desk.call({ ...payment, amount: 900_000 })
      return 0
    },
  },
  {
    name: 'a grant approved by who asked for it, or by who profits',
    async run(desk, now) {
      const asked = await desk.proviso.approvals.grant(
        {
          tool: 'pay_v1',
          principal: 'ann',
          agent: 'payer',
          fields: {
            '/to': { any: true },
            '/amount': { min: 1, max: 200 },
            '/currency': { const: 'EUR' },
            '/approved': { absent: true },
          },
          count: 2,
          expiresAt: (now() + 86_400_000) as EpochMs,
        },
        { credential: await keyOf('bob', 'acme') },
      )
      for (const name of ['bob', 'ann'])
        await refusedVote(desk, asked.id, await keyOf(name, 'acme'), 'does not approve it')
      await approveAs(desk.proviso, asked.id, 'cleo')
      await desk.call()
      return 0
    },
  },
]

export const attacks: readonly Attack[] = [...tokens, ...elsewhere, ...voters, ...grants]
