select proviso.epoch_ms(proviso.clock()), row_to_json(proviso.slot_of(x))::text from proviso.idempotency_keys x
where x.tenant_id = $1 and x.slot_key = $2 and x.generation = $3 for update
