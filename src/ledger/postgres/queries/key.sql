select body, proviso.epoch_ms(revoked_at) from proviso.keys where id = $1
