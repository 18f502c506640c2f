// Copies of a call have names of their own, and facts that bind the names of the call they were copied from: makes both agree again, as
// if each had been recorded by itself.
import pg from 'pg'

export async function bindCopies(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('set synchronous_commit = off')
    // The run is in the record as well: in its first line, which the admission wrote, by its place or by its name.
    await client.query(
      `update proviso.calls c set run = coalesce(r.text ->> 2, r.text -> 'key' ->> 'run')
       from (select id, split_part(convert_from(body, 'UTF8'), E'\\n', 1)::json as text from proviso.calls) r where r.id = c.id`,
    )
    await client.query(
      `update proviso.facts f set binds_slot = sha256(convert_to(k.slot_key || ' ' || k.generation, 'UTF8'))
       from proviso.idempotency_keys k
       where k.call_id = f.call_id and f.binds_slot is not null`,
    )
    await client.query(`insert into proviso.slot_marks (mark, tenant, generation)
      select proviso.slot_mark_v1(tenant_id, slot_key), tenant_id, generation from proviso.idempotency_keys on conflict do nothing`)
    await client.query(`update proviso.facts f set binds_state = proviso.slot_state_v1(k, k.status::text)
      from proviso.idempotency_keys k where k.call_id = f.call_id and f.binds_state is not null`)
    await client.query(`update proviso.counters x set used = t.amount from (
      select k.tenant_id as tenant, r.value ->> 0 as name, sum((r.value ->> 1)::bigint) as amount
      from proviso.idempotency_keys k cross join lateral json_array_elements(k.reserved::json) r group by 1, 2
    ) t where x.tenant = t.tenant and x.name = t.name`)
    await client.query('vacuum (analyze) proviso.calls')
    await client.query('vacuum (analyze) proviso.facts')
  } finally {
    await client.end()
  }
}
