update proviso.keys set revoked_at = to_timestamp($2::float8 / 1000) where id = $1 and revoked_at is null
