-- Calls as they are read.

-- name: look-up
select o_place, o_body, o_slot, o_labels, o_contradicted
from proviso.look_up_v1(/* arguments */)

-- name: call
-- As it stands in its slot while it runs, else as its last pass has left it.
select coalesce(
  (select k.admitted_call from proviso.idempotency_keys k
   where k.completed_at is null and k.status = 'PENDING' and k.admitted_call is not null and k.call_id = $1 limit 1),
  (select c.body from proviso.calls c where c.id = $1))

-- name: calls
select c.body from proviso.calls c
where ($1::text is null or c.tenant = $1)
  and ($2::text is null or c.run = $2)
  and ($3::text is null or c.tool = $3)
  and ($4::text is null or c.status = $4)
  and ($5::text is null or c.effect = $5)
  and ($6::uuid is null or c.id > $6)
  and ($7::boolean is null or $7 = (c.id in (
    select k.call_id from proviso.idempotency_keys k where k.completed_at is null and k.status = 'PENDING' and k.look_after = 'infinity' and k.held)))
  and ($9::uuid is null or c.id < $9)
order by c.id desc
limit $8

-- name: running
-- Few, and found by the index of what is pending.
select k.admitted_call from proviso.idempotency_keys k
where k.completed_at is null and k.status = 'PENDING' and k.admitted_call is not null and ($1::text is null or k.tenant_id = $1)

-- name: facts
select body from (
  select f.ticket, f.body from proviso.facts f where f.call_id = $1
  union all
  -- Of an attempt that runs, kept in its slot.
  select 9223372036854775807, k.admitted_facts from proviso.idempotency_keys k
  where k.completed_at is null and k.status = 'PENDING' and k.admitted_call is not null and k.call_id = $1
) f
order by ticket

-- name: escalations
select body, proviso.epoch_ms(opened_at) from proviso.escalations where ($1::text is null or tenant = $1) and resolved_at is null order by opened_at, id

-- name: open-escalations
select 1 from proviso.escalations where call_id = $1 and resolved_at is null for update

-- name: close-escalations
update proviso.escalations set resolved_at = proviso.clock(), resolved_by = $2 where call_id = $1 and resolved_at is null and /* writes */ returning proviso.epoch_ms(resolved_at)

-- name: contract
select body from proviso.contracts where hash = $1

-- name: save-contracts
insert into proviso.contracts (hash, body, stored_at)
select u.hash, u.body, proviso.clock() from unnest($1::text[], $2::bytea[]) u (hash, body) where /* writes */
on conflict do nothing

-- name: tenant
select set_config('proviso.tenant', $1, true)
