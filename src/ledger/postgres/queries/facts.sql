select body from (
  select f.ticket, f.body from proviso.facts f where f.call_id = $1
  union all
  -- Of an attempt that runs, kept in its slot.
  select 9223372036854775807, substring(k.admitted from k.admitted_call + 1) from proviso.idempotency_keys k
  where k.completed_at is null and k.status = 'PENDING' and k.admitted is not null and k.call_id = $1
) f
order by ticket
