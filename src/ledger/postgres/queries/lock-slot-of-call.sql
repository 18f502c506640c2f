select x.tenant_id, x.slot_key, coalesce(substring(x.admitted for x.admitted_call), c.body), proviso.epoch_ms(proviso.clock()), row_to_json(proviso.slot_of(x))::text
from proviso.idempotency_keys x left join proviso.calls c on c.id = x.call_id
where x.call_id = $1 and (x.admitted is not null or c.id is not null) and ($2::text is null or x.tenant_id = $2)
order by x.held desc, x.generation desc
limit 1
for update of x
