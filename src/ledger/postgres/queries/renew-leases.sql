update proviso.idempotency_keys x
set lease_until = proviso.clock() + $5::float8 * interval '1 ms', look_after = proviso.clock() + $5::float8 * interval '1 ms'
from unnest($1::text[], $2::text[], $3::integer[], $4::uuid[]) u (tenant, slot, generation, nonce)
where x.tenant_id = u.tenant and x.slot_key = u.slot and x.generation = u.generation and x.nonce = u.nonce
  and x.status = 'PENDING' and not x.held
  -- A lease that has run out is not renewed: somebody may already be looking.
  and x.lease_until > proviso.clock()
returning x.nonce::text
