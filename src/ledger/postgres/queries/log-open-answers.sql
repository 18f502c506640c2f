-- The stored answers in the order of the calls that hold them, sorted by the server once and read in pieces.
declare stored_answers no scroll cursor for
select k.tenant_id, k.slot_key, k.generation, k.call_id::text, k.digest, coalesce(l.logged, false)
from (
  select tenant_id, slot_key, generation, call_id, encode(sha256(response_body), 'hex') as digest
  from proviso.idempotency_keys
  where response_body is not null and ($1::text is null or tenant_id = $1)
  order by call_id
) k
left join lateral (
  select true as logged from proviso.log_leaves l
  where l.kind = 'facts' and l.call_id = k.call_id and l.tenant = k.tenant_id
  limit 1
) l on true
order by k.call_id
