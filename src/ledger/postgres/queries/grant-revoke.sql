update proviso.grants set revoked_at = proviso.clock(), revocation = $2
where id = $1 and ($3::text is null or tenant = $3) and revoked_at is null
