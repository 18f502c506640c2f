update proviso.idempotency_keys
set lease_until = proviso.clock() + $5::float8 * interval '1 ms', look_after = proviso.clock() + $6::float8 * interval '1 ms'
where tenant_id = $1 and slot_key = $2 and generation = $3 and nonce = $4 and status = 'PENDING' and not held
returning 1
