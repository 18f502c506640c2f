select body, proviso.epoch_ms(revoked_at) from proviso.keys where $1::text is null or tenant = $1 order by created_at, id
