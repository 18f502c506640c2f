// The rows of a log that tamperings change: the groups of a call, and the operation of one.
import type pg from 'pg'

/** The groups of one call in the middle of the tenant's log, first and second. */
export const groupsOf = async (client: pg.Client, tenant = 'acme') => {
  const { rows } = await client.query<Group>(
    `select l.tenant, l.index::integer, l.call_id::text, l.entry::text, l.pass, l.group_number, l.commitment, l.previous, l.hash
     from proviso.log_leaves l join proviso.facts f on f.call_id = l.call_id and f.entry = l.entry
     where l.tenant = $1 and l.call_id = (
       select call_id from proviso.log_leaves l
       where l.tenant = $1 and l.group_number = 2
         and exists (select 1 from proviso.facts f where f.call_id = l.call_id and f.entry = l.entry)
       order by index offset 12 limit 1)
     order by l.group_number`,
    [tenant],
  )
  const [first, second] = rows
  if (first === undefined || second === undefined) throw new Error('The log is too short to tamper with.')
  return { first, second }
}

export interface Group {
  readonly tenant: string
  readonly index: number
  readonly call_id: string
  readonly entry: string
  readonly pass: number
  readonly group_number: number
  readonly commitment: Buffer
  readonly previous: Buffer
  readonly hash: Buffer
}

export const leafOf = ({ tenant, call_id, pass, group_number, commitment, previous }: Group) => ({
  kind: 'facts' as const,
  tenant,
  callId: call_id,
  pass,
  group: group_number,
  commitment,
  previous,
})

export async function exchange(client: pg.Client, one: Group, other: Group): Promise<void> {
  const away = 'update proviso.log_leaves set tenant = $3, index = $4 where tenant = $1 and index = $2'
  await client.query(away, [one.tenant, one.index, 'elsewhere', 0])
  await client.query(away, [other.tenant, other.index, one.tenant, one.index])
  await client.query(away, ['elsewhere', 0, other.tenant, other.index])
}

/** Changes what belongs to a group. */
export const onGroup =
  (which: 'first' | 'second', statement: string, values: (group: Group) => readonly unknown[]) =>
  async (client: pg.Client): Promise<unknown> =>
    client.query(statement, [...values((await groupsOf(client))[which])])

export const byEntry = ({ entry }: Group) => [entry]
export const byLeaf = ({ tenant, index }: Group) => [tenant, index]

/** The call of an operation that has come to its end. */
export async function operationOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `select call_id::text as id from proviso.idempotency_keys where tenant_id = 'acme' order by slot_key limit 1`,
  )
  return rows[0]?.id ?? ''
}
