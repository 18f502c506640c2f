-- A held slot is pending, and found by the index of what is; only of a call that is not held all slots are read. SQL does not
-- promise that the first of the two is asked first, as Postgres does: the other way round would take longer and find the same.
(select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
 where x.completed_at is null and x.call_id = $1 and ($2::text is null or x.tenant_id = $2)
 order by x.held desc, x.generation desc limit 1)
union all
(select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
 where x.call_id = $1 and ($2::text is null or x.tenant_id = $2)
 order by x.generation desc limit 1)
limit 1
