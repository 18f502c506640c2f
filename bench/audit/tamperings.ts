// Ways to tamper with a ledger for a person who can write to its database, each with what an audit must call it and where. The log has
// two tenants, acme and other, of at least 40 calls each, and a retirement; a checkpoint of each is kept elsewhere.
import type pg from 'pg'
import { epochMs } from '../../src/json/clock.ts'
import type { FindingKind } from '../../src/ledger/log/audit/audit-finding.ts'
import { checkpointOrigin, signCheckpoint } from '../../src/ledger/log/checkpoint.ts'
import { generateSigningKey } from '../../src/ledger/log/keys/signing-key.ts'
import { commit, hashOfLeaf } from '../../src/ledger/log/tree/leaf.ts'
import { byEntry, byLeaf, exchange, groupsOf, leafOf, onGroup, operationOf } from './stored-groups.ts'

export interface Tampering {
  readonly name: string
  readonly kind: FindingKind
  readonly place: RegExp
  plant(client: pg.Client): Promise<unknown>
}

const edited = (column: 'body', from: string, to: string) =>
  `update proviso.calls set ${column} = convert_to(replace(convert_from(${column}, 'UTF8'), '${from}', '${to}'), 'UTF8')
   where id = $1`

export const tamperings: readonly Tampering[] = [
  {
    name: 'the facts of a call are edited',
    kind: 'content_edited',
    place: /group 1 of call/,
    plant: onGroup(
      'first',
      `update proviso.facts set body = set_byte(body, 20, (get_byte(body, 20) + 1) % 256) where entry = $1`,
      byEntry,
    ),
  },
  {
    name: 'facts are put under another pass',
    kind: 'content_edited',
    place: /group 1 of call/,
    plant: onGroup('first', 'update proviso.facts set pass = 7 where entry = $1', byEntry),
  },
  {
    name: 'the facts of a call are deleted',
    kind: 'fact_deleted',
    place: /group 2 of call/,
    plant: onGroup('second', 'delete from proviso.facts where entry = $1', byEntry),
  },
  {
    name: 'a salt is edited',
    kind: 'content_edited',
    place: /group 1 of call/,
    plant: onGroup('first', 'update proviso.facts set salt = substring(sha256(salt) for 24) where entry = $1', byEntry),
  },
  {
    name: 'a salt is emptied',
    kind: 'content_edited',
    place: /group 2 of call/,
    plant: onGroup('second', `update proviso.facts set salt = '' where entry = $1`, byEntry),
  },
  ...[
    ['the arguments of a call are edited', edited('body', '"{}"', '"{1}"')],
    ['the user of a call is edited', edited('body', '"ann"', '"bob"')],
    ['the status that a call is listed by is edited', `update proviso.calls set status = 'TIMEOUT' where id = $1`],
    ['a call is given to another tenant', `update proviso.calls set tenant = 'other' where id = $1`],
  ].map(
    ([name = '', statement = '']): Tampering => ({
      name,
      kind: 'call_edited',
      place: /^call [0-9a-f-]{36}$/,
      plant: async (client) => client.query(statement, [(await groupsOf(client)).first.call_id]),
    }),
  ),
  {
    name: 'the record of a call goes back to how it was admitted',
    kind: 'call_edited',
    place: /^call [0-9a-f-]{36}$/,
    plant: async (client) =>
      client.query(
        `update proviso.calls set status = 'RUNNING', effect = 'unknown',
           body = convert_to(replace(replace(convert_from(body, 'UTF8'), 'SUCCESS', 'RUNNING'), 'happened', 'unknown'), 'UTF8')
         where id = $1`,
        [await operationOf(client)],
      ),
  },
  {
    name: 'a call is invented',
    kind: 'call_edited',
    place: /^call [0-9a-f-]{36}$/,
    plant: async (client) =>
      client.query(
        `insert into proviso.calls (id, tenant, run, tool, status, effect, body)
         select gen_random_uuid(), tenant, run, tool, status, effect, body from proviso.calls where id = $1`,
        [(await groupsOf(client)).first.call_id],
      ),
  },
  {
    name: 'the record of a call is deleted',
    kind: 'call_missing',
    place: /^call [0-9a-f-]{36}$/,
    plant: async (client) =>
      client.query('delete from proviso.calls where id = $1', [(await groupsOf(client)).first.call_id]),
  },
  {
    name: 'an answer is edited',
    kind: 'answer_edited',
    place: /^generation 1 of slot operation-1, call /,
    plant: (client) =>
      client.query(
        `update proviso.idempotency_keys set response_body = response_body || ' '
         where tenant_id = 'acme' and slot_key = 'operation-1'`,
      ),
  },
  {
    name: 'the answers of two operations are exchanged',
    kind: 'answer_edited',
    place: /^generation 1 of slot operation-2, call /,
    plant: (client) =>
      client.query(
        `update proviso.idempotency_keys x set response_body = y.response_body from proviso.idempotency_keys y
         where x.tenant_id = 'acme' and y.tenant_id = 'acme' and x.slot_key <> y.slot_key`,
      ),
  },
  ...(
    [
      [
        'the slot of an operation is deleted',
        'slot_missing',
        /^the slot of call /,
        'delete from proviso.idempotency_keys',
      ],
      [
        'an operation is set to failed, so that it may be done again',
        'slot_edited',
        /^generation 1 of slot operation-1, call /,
        `update proviso.idempotency_keys set status = 'FAILED_RETRYABLE', effect = 'none'`,
      ],
      [
        'the mark of an operation names another generation',
        'row_edited',
        /^the mark of slot operation-1$/,
        'update proviso.slot_marks set generation = 7',
      ],
      [
        'the mark of an operation is deleted',
        'row_missing',
        /^the mark of slot operation-1$/,
        'delete from proviso.slot_marks',
      ],
    ] as const
  ).map(
    ([name, kind, place, statement]): Tampering => ({
      name,
      kind,
      place,
      plant: (client) =>
        client.query(
          statement.includes('slot_marks')
            ? `${statement} where mark = proviso.slot_mark_v1('acme', 'operation-1')`
            : `${statement} where tenant_id = 'acme' and slot_key = 'operation-1'`,
        ),
    }),
  ),
  {
    name: 'a result is invented',
    kind: 'row_unknown',
    place: /^results /,
    plant: (client) =>
      client.query(`insert into proviso.results (tenant, ref, call_id, body, stored_at)
        values ('acme', 'forged', gen_random_uuid(), '{}', now())`),
  },
  {
    name: 'a leaf is deleted',
    kind: 'leaf_missing',
    place: /^leaf \d+$/,
    plant: onGroup('first', 'delete from proviso.log_leaves where tenant = $1 and index = $2', byLeaf),
  },
  {
    name: 'two leaves change places',
    kind: 'leaf_reordered',
    place: /^leaves \d+ and \d+$/,
    async plant(client) {
      const { first, second } = await groupsOf(client)
      const nodes = await client.query<{ nodes: Buffer }>(
        'select nodes from proviso.log_leaves where tenant = $1 and index = any ($2) order by index',
        [first.tenant, [first.index, second.index]],
      )
      await exchange(client, first, second)
      // The nodes belong to the place.
      const put = 'update proviso.log_leaves set nodes = $3 where tenant = $1 and index = $2'
      await client.query(put, [first.tenant, first.index, nodes.rows[0]?.nodes])
      await client.query(put, [first.tenant, second.index, nodes.rows[1]?.nodes])
    },
  },
  {
    name: 'the hash of a leaf is edited',
    kind: 'leaf_edited',
    place: /^leaf \d+$/,
    plant: onGroup(
      'first',
      'update proviso.log_leaves set hash = sha256(hash) where tenant = $1 and index = $2',
      byLeaf,
    ),
  },
  {
    name: 'a leaf is moved to another call',
    kind: 'leaf_edited',
    place: /^leaf \d+$/,
    plant: onGroup(
      'first',
      `update proviso.log_leaves set call_id = gen_random_uuid() where tenant = $1 and index = $2`,
      byLeaf,
    ),
  },
  {
    name: 'facts, salt, commitment and leaf hash are all made anew',
    kind: 'root_mismatch',
    place: /kept elsewhere|stored with the ledger/,
    async plant(client) {
      const { second } = await groupsOf(client)
      const content = { salt: Buffer.alloc(32, 9), bytes: Buffer.from('[]') }
      const commitment = Buffer.from(commit(content))
      const hash = Buffer.from(hashOfLeaf({ ...leafOf(second), commitment }))
      await client.query('update proviso.facts set body = $2, salt = $3, ticket = $4 where entry = $1', [
        second.entry,
        content.bytes,
        content.salt.subarray(0, 24),
        content.salt.readBigInt64BE(24),
      ])
      await client.query('update proviso.log_leaves set commitment = $3, hash = $4 where tenant = $1 and index = $2', [
        second.tenant,
        second.index,
        commitment,
        hash,
      ])
    },
  },
  {
    name: 'the chain of a call is cut',
    kind: 'chain_broken',
    place: /group 2 of call/,
    async plant(client) {
      const { second } = await groupsOf(client)
      const previous = Buffer.alloc(32)
      const hash = Buffer.from(hashOfLeaf({ ...leafOf(second), previous }))
      await client.query('update proviso.log_leaves set previous = $3, hash = $4 where tenant = $1 and index = $2', [
        second.tenant,
        second.index,
        previous,
        hash,
      ])
    },
  },
  {
    name: 'facts of two tenants are exchanged',
    kind: 'wrong_tenant',
    place: /group 1 of call/,
    async plant(client) {
      const mine = (await groupsOf(client)).first
      const theirs = (await groupsOf(client, 'other')).first
      await client.query('update proviso.facts set tenant = $2 where entry = $1', [mine.entry, 'other'])
      await client.query('update proviso.facts set tenant = $2 where entry = $1', [theirs.entry, 'acme'])
    },
  },
  {
    name: 'leaves of two tenants are exchanged',
    kind: 'wrong_tenant',
    place: /^leaf \d+$/,
    async plant(client) {
      const mine = (await groupsOf(client)).first
      const theirs = (await groupsOf(client, 'other')).first
      await exchange(client, mine, theirs)
    },
  },
  {
    name: 'the tail is cut off, with its head and its checkpoints',
    kind: 'tree_truncated',
    place: /kept elsewhere/,
    async plant(client) {
      await client.query(`delete from proviso.log_leaves where tenant = 'acme' and index >= 64`)
      await client.query(`delete from proviso.log_retirements where tenant = 'acme' and index >= 64`)
      await client.query(`delete from proviso.log_checkpoints where tenant = 'acme' and size > 64`)
      await client.query(
        `update proviso.log_heads set size = 64, frontier = (
           select substring(nodes from 161 for 32) from proviso.log_leaves where tenant = 'acme' and index = 63)
         where tenant = 'acme'`,
      )
    },
  },
  {
    name: 'the newest checkpoint is deleted',
    kind: 'checkpoint_rolled_back',
    place: /stored with the ledger/,
    plant: (client) => client.query(`delete from proviso.log_checkpoints where tenant = 'acme' and size > 64`),
  },
  {
    name: 'a checkpoint is forged by a stranger',
    kind: 'checkpoint_forged',
    place: /checkpoint over 30 leaves/,
    plant: (client) =>
      client.query(`insert into proviso.log_checkpoints (tenant, size, text, at) values ('acme', 30, $1, now())`, [
        signCheckpoint(
          { origin: checkpointOrigin('acme'), size: 30, root: Buffer.alloc(32, 1), at: epochMs(Date.now()) },
          generateSigningKey(),
        ),
      ]),
  },
  {
    name: 'the size in a signed checkpoint is edited',
    kind: 'checkpoint_forged',
    place: /checkpoint over \d+ leaves stored with the ledger/,
    plant: (client) =>
      client.query(
        `update proviso.log_checkpoints set text = regexp_replace(text, '\\n(\\d+)\\n', E'\\n1\\\\1\\n') where tenant = 'acme'`,
      ),
  },
  {
    name: 'an interior node is edited',
    kind: 'node_edited',
    place: /^node 3 of level 3$/,
    plant: (client) =>
      client.query(
        `update proviso.log_leaves set nodes = set_byte(nodes, 70, (get_byte(nodes, 70) + 1) % 256) where tenant = 'acme' and index = 31`,
      ),
  },
  {
    name: 'a retirement is invented for facts that were deleted',
    kind: 'retirement_false',
    place: /^retirement 9/,
    async plant(client) {
      const { first } = await groupsOf(client)
      await client.query('delete from proviso.facts where call_id = $1', [first.call_id])
      await client.query(
        `insert into proviso.log_retirements (tenant, number, index, from_id, to_id, leaves, reason, at_ms, previous)
         values ('acme', 9, 99999, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 2, 'because', 0, sha256(''))`,
      )
    },
  },
  {
    name: 'facts are deleted under the cover of a true retirement',
    kind: 'retirement_false',
    place: /^retirement 1/,
    async plant(client) {
      await client.query(
        `update proviso.log_retirements set to_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff' where tenant = 'acme' and number = 1`,
      )
      await client.query(
        `delete from proviso.facts where call_id = (select call_id from proviso.log_leaves l where tenant = 'acme'
           and exists (select 1 from proviso.facts f where f.call_id = l.call_id) order by index limit 1)`,
      )
    },
  },
  {
    name: 'the log of a tenant is removed',
    kind: 'tree_truncated',
    place: /log proviso\/other|kept elsewhere/,
    async plant(client) {
      for (const table of ['log_leaves', 'log_heads', 'log_checkpoints', 'log_retirements', 'facts'])
        await client.query(`delete from proviso.${table} where tenant = 'other'`)
    },
  },
  {
    name: 'facts are slipped in behind the log',
    kind: 'unlogged',
    place: /group 3 of call/,
    plant: onGroup(
      'first',
      `insert into proviso.facts (call_id, entry, xid, tenant, pass, body) values ($1, gen_random_uuid(), '3', 'acme', 1, '[]')`,
      (group) => [group.call_id],
    ),
  },
  {
    name: 'a leaf is added behind the head',
    kind: 'root_mismatch',
    place: /^head of the log$/,
    async plant(client) {
      const { second } = await groupsOf(client)
      const leaf = { ...leafOf(second), group: 3, previous: second.hash }
      await client.query(
        `insert into proviso.log_leaves (tenant, index, hash, kind, call_id, entry, pass, group_number, commitment, previous, nodes)
         select 'acme', size, $1, 'facts', $2, gen_random_uuid(), 1, 3, $3, $4, '' from proviso.log_heads where tenant = 'acme'`,
        [Buffer.from(hashOfLeaf(leaf)), second.call_id, second.commitment, second.hash],
      )
    },
  },
  {
    name: 'the head is edited',
    kind: 'root_mismatch',
    place: /^head of the log$/,
    plant: (client) =>
      client.query(
        `update proviso.log_heads set frontier = set_byte(frontier, 3, (get_byte(frontier, 3) + 1) % 256) where tenant = 'acme'`,
      ),
  },
]
