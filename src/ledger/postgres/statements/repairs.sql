-- What models are sent back to mend. A writer says which version of a state it goes on from; of two who say the same one, one reads again.

-- name: repair-state
select version, state, last_call from proviso.repairs where key = decode($1, 'hex')

-- name: repair-valid
-- Calls of the scope's tool since its newest refusal whose arguments were valid: another process may have answered them.
select c.id, c.body from (
  (select c.id, c.body from proviso.calls c
  where c.tenant = $1 and c.run = $2 and c.id > $5 and c.tool = $3 and not (c.status = any ($4)) order by c.id limit $6)
  union all
  (select c.id, c.body from proviso.calls c
  where $2::text is null and c.tenant = $1 and c.run is null and c.id > $5 and c.tool = $3 and not (c.status = any ($4))
  order by c.id limit $6)
) c order by c.id

-- name: repair-count
with written as (
  insert into proviso.repairs as r (key, tenant, scope, version, state, last_call, refused_at)
  select decode($1, 'hex'), $2, $3, 1, $5, $6, proviso.clock() where $4::bigint = 0
  on conflict (key) do nothing
  returning 1
), changed as (
  update proviso.repairs set version = version + 1, state = $5, last_call = $6, refused_at = proviso.clock()
  where $4::bigint > 0 and key = decode($1, 'hex') and version = $4
  returning 1
), asked as (
  insert into proviso.escalations as e (id, tenant, call_id, kind, body, opened_at)
  select $7::uuid, $2, $6, 'repair_exhausted', $8::bytea, proviso.clock()
  where $7::uuid is not null and /* writes */ and (exists (select from written) or exists (select from changed))
  on conflict (id) do update
  set call_id = excluded.call_id, body = excluded.body, opened_at = excluded.opened_at, resolved_at = null, resolved_by = null
)
select 1 from written union all select 1 from changed

-- name: repair-end
with changed as (
  update proviso.repairs set version = version + 1, state = $3 where key = decode($1, 'hex') and version = $2 returning 1
), closed as (
  update proviso.escalations set resolved_at = proviso.clock(), resolved_by = 'repaired'
  where id = $4::uuid and resolved_at is null and /* writes */ and exists (select from changed)
)
select 1 from changed

-- name: repair-halted
select tenant, scope from proviso.repairs where (state::jsonb -> 'halted')::boolean order by key limit 1000

-- name: repair-forget
-- A question that is still open stays; a scope that halts once more asks anew.
delete from proviso.repairs where refused_at < proviso.clock() - interval '7 days'
