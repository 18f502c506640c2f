// A ledger whose rows were changed behind Proviso's back: a call that meets such a slot is refused and people are asked, and the audit names
// what was changed.
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { defineTool, openProviso, type Proviso } from '../../src/index.ts'
import { people } from '../people.ts'
import { auditDesk } from './audit-desk.ts'
import { openAudited } from './audited.ts'

const desk = auditDesk()

interface Stage {
  readonly proviso: Proviso
  readonly client: pg.Client
  /** How often the tool has really acted. */
  readonly done: () => number
  charge(callId: string): ReturnType<Proviso['call']>
  readonly found: () => Promise<readonly string[]>
}

async function onStage(work: (stage: Stage) => Promise<void>): Promise<void> {
  const url = await desk.databases.fresh()
  const audited = await openAudited(url, desk.folder)
  const client = new pg.Client(url)
  await client.connect()
  let done = 0
  const charge = defineTool({
    name: 'charge_v1',
    description: 'Charges a card.',
    effect: 'MEDIUM_RISK_WRITE',
    trusted: true,
    input: {
      type: 'object',
      properties: { amount: { type: 'number' } },
      required: ['amount'],
      additionalProperties: false,
    },
    execute: () => ({ receipt: ++done }),
  })
  const proviso = await openProviso({ ledger: audited.ledger, tools: [charge], identity: people })
  const where = { tenant: 'acme', user: 'ann', run: 'run-1' }
  try {
    await work({
      proviso,
      client,
      done: () => done,
      charge: (callId) => proviso.call({ tool: 'charge_v1', arguments: { amount: 5 }, callId }, where),
      found: async () => (await audited.verify()).findings.map(({ kind }) => kind),
    })
  } finally {
    await client.end()
    await proviso.close()
  }
}

const edits: readonly (readonly [what: string, statement: string, kind: string])[] = [
  ['is gone', 'delete from proviso.idempotency_keys', 'slot_missing'],
  [
    'was set to failed',
    `update proviso.idempotency_keys set status = 'FAILED_RETRYABLE', effect = 'none'`,
    'slot_edited',
  ],
  ['was set to undone', `update proviso.idempotency_keys set status = 'COMPENSATED'`, 'slot_edited'],
  ['was marked as overtaken', 'update proviso.idempotency_keys set overtaken = true', 'slot_edited'],
  ['was given to another call', 'update proviso.idempotency_keys set call_id = gen_random_uuid()', 'slot_edited'],
  ['has lost its answer', 'update proviso.idempotency_keys set response_body = null', 'answer_edited'],
  [
    'was set to its beginning',
    `update proviso.idempotency_keys set status = 'PENDING', effect = 'unknown', completed_at = null,
    response_body = null`,
    'slot_edited',
  ],
]

describe('a call is refused and people are asked where its slot', () => {
  it.each(edits)('%s [contradicted-slot-refuses] [audit-rebuilds-rows]', async (_, statement, kind) => {
    await onStage(async ({ proviso, client, charge, done, found }) => {
      expect((await charge('c1')).effect).toBe('happened')
      expect(await found()).toEqual([])
      expect((await client.query(statement)).rowCount).toBe(1)
      for (const id of ['c2', 'c3', 'c1']) {
        const answer = await charge(id)
        expect(answer).toMatchObject({
          effect: 'unknown',
          response: {
            error_code: 'IDEMPOTENCY_CONFLICT',
            retryable: false,
            escalate: true,
            next_action: 'await_resolution',
          },
        })
      }
      expect(done()).toBe(1)
      const open = await proviso.escalations.list()
      expect(open.map((question) => question.kind)).toEqual(['record_contradicted'])
      expect(await found()).toContain(kind)
    })
  })
})

describe('an audit names', () => {
  it('a forged stored result [audit-rebuilds-rows]', async () => {
    await onStage(async ({ client, charge, found }) => {
      await charge('c1')
      await client.query(`insert into proviso.results (tenant, ref, call_id, body, stored_at)
        values ('acme', 'forged', gen_random_uuid(), '{}', now())`)
      expect(await found()).toEqual(['row_unknown'])
    })
  })

  it('labels that a run has lost [audit-rebuilds-rows]', async () => {
    const url = await desk.databases.fresh()
    const { ledger, verify } = await openAudited(url, desk.folder)
    const client = new pg.Client(url)
    await client.connect()
    await ledger.runs.addLabels('acme', 'run-1', ['untrusted'])
    expect((await verify()).findings).toEqual([])
    await client.query(`update proviso.runs set labels = '{}'`)
    expect((await verify()).findings[0]).toMatchObject({
      kind: 'row_edited',
      place: 'runs {"run": "run-1", "tenant": "acme"}',
      message: 'It is not as it was written: labels.',
    })
    await client.query('delete from proviso.runs')
    expect((await verify()).findings.map(({ kind }) => kind)).toContain('row_missing')
    await client.end()
    await ledger.close()
  })
})
