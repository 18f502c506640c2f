update proviso.escalations set resolved_at = proviso.clock(), resolved_by = $2 where call_id = $1 and resolved_at is null returning proviso.epoch_ms(resolved_at)
