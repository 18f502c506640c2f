-- Results too large for an answer.

-- name: result
select body from proviso.results where tenant = $1 and ref = $2

-- name: save-result
insert into proviso.results (tenant, ref, call_id, body, stored_at) select $1, $2, $3, $4, proviso.clock() where /* writes */
on conflict (tenant, ref) do update set body = excluded.body, stored_at = excluded.stored_at
