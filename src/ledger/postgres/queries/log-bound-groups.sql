-- What each group binds, calls in order. The order of groups is that of their tickets, which the log vouches for in their salts; what is
-- not in the log yet has its own.
select f.call_id::text, f.entry::text, f.tenant,
  case when s.salt is null then f.ticket else ('x' || encode(substring(s.salt from 25 for 8), 'hex'))::bit(64)::bigint end,
  encode(substring(f.body for $4), 'escape')
from (
  select * from proviso.facts
  where (call_id, entry) > ($2::uuid, $3::uuid) and ($1::text is null or tenant = $1)
  order by call_id, entry
  limit $5
) f
left join proviso.log_salts s on s.call_id = f.call_id and s.entry = f.entry
order by f.call_id, f.entry
