-- What each group binds, calls in order. The order of groups is that of their tickets, which the log vouches for.
select call_id::text, entry::text, tenant, ticket, encode(substring(body for $4), 'escape')
from proviso.facts
where (call_id, entry) > ($2::uuid, $3::uuid) and ($1::text is null or tenant = $1)
order by call_id, entry
limit $5
