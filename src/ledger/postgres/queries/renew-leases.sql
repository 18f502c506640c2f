-- Ends of the same process take several rows, too, each in their own order: what is locked is about to end, and not waited for.
with mine as (
  select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
  join unnest($1::text[], $2::text[], $3::integer[], $4::uuid[]) u (tenant, slot, generation, nonce)
    on x.tenant_id = u.tenant and x.slot_key = u.slot and x.generation = u.generation and x.nonce = u.nonce
  where x.status = 'PENDING' and not x.held
    -- A lease that has run out is not renewed: somebody may already be looking.
    and x.lease_until > proviso.clock()
  for update of x skip locked
)
update proviso.idempotency_keys x
set lease_until = proviso.clock() + $5::float8 * interval '1 ms', look_after = proviso.clock() + $5::float8 * interval '1 ms'
from mine m where x.tenant_id = m.tenant_id and x.slot_key = m.slot_key and x.generation = m.generation
returning x.nonce::text
