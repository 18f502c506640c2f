-- Only by whoever still has the claim, and only while the provider remembers: asked of the database's clock, in the moment of the start.
-- From here on the attempt has another name, so that an owner who says late that it did nothing does not speak for this start.
update proviso.idempotency_keys
set nonce = $5, lease_until = proviso.clock() + $6::float8 * interval '1 ms', look_after = proviso.clock() + $7::float8 * interval '1 ms'
where tenant_id = $1 and slot_key = $2 and generation = $3 and nonce = $4 and status = 'PENDING' and not held
  and look_after > proviso.clock() and created_at + $8::float8 * interval '1 ms' > proviso.clock()
returning 1
