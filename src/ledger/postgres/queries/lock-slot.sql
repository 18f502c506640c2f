select 1 from proviso.idempotency_keys where tenant_id = $1 and slot_key = $2 and generation = $3 for update
