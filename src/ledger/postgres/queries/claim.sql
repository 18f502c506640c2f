with due as (
  select tenant_id, slot_key, generation from proviso.idempotency_keys
  where completed_at is null and status = 'PENDING' and look_after <= (select proviso.clock())
    and (watcher is null or watcher = $5 or look_after <= proviso.clock() - $6::float8 * interval '1 ms')
    and (contract_hash = any ($1) or look_after <= proviso.clock() - $4::float8 * interval '1 ms')
  order by look_after
  limit $2
  for update skip locked
), claimed as (
  update proviso.idempotency_keys x set look_after = proviso.clock() + $3::float8 * interval '1 ms', watcher = $5
  from due where x.tenant_id = due.tenant_id and x.slot_key = due.slot_key and x.generation = due.generation
  returning x.tenant_id, x.slot_key, x.generation
)
select k.tenant_id, k.slot_key, coalesce(substring(k.admitted for k.admitted_call), c.body),
  proviso.epoch_ms(k.lease_until), proviso.epoch_ms(proviso.clock()), row_to_json(proviso.slot_of(k))::text
from claimed x
join proviso.idempotency_keys k on k.tenant_id = x.tenant_id and k.slot_key = x.slot_key and k.generation = x.generation
left join proviso.calls c on c.id = k.call_id
where k.admitted is not null or c.id is not null
