-- The same with effects that are to be read back, or have been: asked for where the call is settled, in the same commit.
with recorded as materialized (
  select proviso.record($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as letters
),
asked as (
  insert into proviso.verifications as v (call_id, tenant, contract_hash, slot_key, generation, due_at, reads, body)
  select a.call_id, a.tenant, a.contract, a.slot_key, a.generation, proviso.clock() + a.after_ms * interval '1 ms', a.reads, a.body
  from recorded r
  cross join unnest($14::integer[], $15::uuid[], $16::text[], $17::text[], $18::text[], $19::integer[], $20::float8[], $21::integer[],
    $22::bytea[]) a (place, call_id, tenant, contract, slot_key, generation, after_ms, reads, body)
  where substr(r.letters, a.place, 1) = 's'
  on conflict (call_id) do update set due_at = excluded.due_at, reads = excluded.reads, body = excluded.body, claim = null
),
done as (
  delete from proviso.verifications v using recorded r, unnest($23::uuid[]) d (call_id)
  where v.call_id = d.call_id and r.letters is not null
)
select letters from recorded
