-- Walks the slots in the order of their keys, a piece at a time, and gives where the piece ends: an index on the time of expiry would cost
-- every call more than this walk does.
with piece as (
  select tenant_id, slot_key, generation, expires_at from proviso.idempotency_keys
  where (tenant_id, slot_key, generation) > ($2, $3, $4::integer)
  order by tenant_id, slot_key, generation
  limit $1
), expired as (
  update proviso.idempotency_keys x set status = 'EXPIRED', response_body = case when x.rebuild then x.response_body end
  from piece p where p.expires_at <= proviso.clock()
    and x.tenant_id = p.tenant_id and x.slot_key = p.slot_key and x.generation = p.generation
    and x.expires_at <= proviso.clock() and x.status in ('COMPLETED', 'FAILED_FINAL', 'COMPENSATED')
  returning 1
), last as (
  select tenant_id, slot_key, generation from piece order by tenant_id desc, slot_key desc, generation desc limit 1
)
select l.tenant_id, l.slot_key, l.generation, (select count(*) from expired)::integer as expired from last l
