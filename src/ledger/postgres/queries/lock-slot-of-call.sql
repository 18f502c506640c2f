-- A held slot is pending, and found by the index of what is; only of a call that is not held all slots are read.
with found as (
  (select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
   where x.completed_at is null and x.call_id = $1 and ($2::text is null or x.tenant_id = $2)
   order by x.held desc, x.generation desc limit 1)
  union all
  (select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
   where x.call_id = $1 and ($2::text is null or x.tenant_id = $2)
   order by x.generation desc limit 1)
  limit 1
)
select x.tenant_id, x.slot_key, coalesce(substring(x.admitted for x.admitted_call), c.body), proviso.epoch_ms(proviso.clock()), row_to_json(proviso.slot_of(x))::text
from found f
join proviso.idempotency_keys x on x.tenant_id = f.tenant_id and x.slot_key = f.slot_key and x.generation = f.generation
left join proviso.calls c on c.id = x.call_id
where x.call_id = $1 and (x.admitted is not null or c.id is not null)
for update of x
