insert into proviso.approvals (id, tenant, call_id, run, slot_key, generation, payload_hash, kind, resume, body, created_at, expires_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now_, now_ + $11::float8 * interval '1 ms' from proviso.clock() now_
returning body, proviso.epoch_ms(created_at), proviso.epoch_ms(expires_at), used_by::text, false, token, attached, null::bytea[],
  proviso.epoch_ms(created_at)
