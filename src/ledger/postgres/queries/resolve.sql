update proviso.idempotency_keys x
set status = $4::proviso.slot_status, effect = $5::proviso.slot_effect, held = false, completed_at = proviso.clock(), response_body = null, response_status = null, error_code = null
where x.tenant_id = $1 and x.slot_key = $2 and x.generation = $3 and x.held
returning row_to_json(proviso.slot_of(x))::text
