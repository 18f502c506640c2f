-- Keys of people and agents.

-- name: key
select body, proviso.epoch_ms(revoked_at) from proviso.keys where id = $1

-- name: keys
select body, proviso.epoch_ms(revoked_at) from proviso.keys where $1::text is null or tenant = $1 order by created_at, id

-- name: key-add
insert into proviso.keys (id, tenant, body, created_at) select $1, $2, $3, proviso.clock() where /* writes */

-- name: key-revoke
update proviso.keys set revoked_at = to_timestamp($2::float8 / 1000) where id = $1 and revoked_at is null and /* writes */
