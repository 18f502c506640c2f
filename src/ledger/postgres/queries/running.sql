-- Few, and found by the index of what is pending.
select substring(k.admitted for k.admitted_call) from proviso.idempotency_keys k
where k.completed_at is null and k.status = 'PENDING' and k.admitted is not null and ($1::text is null or k.tenant_id = $1)
