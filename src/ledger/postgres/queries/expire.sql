-- Walks the slots in the order of their keys, a piece at a time, and gives where the piece ends: an index on the time of expiry would cost
-- every call more than this walk does.
with piece as (
  select tenant_id, slot_key, generation, expires_at from proviso.idempotency_keys
  where (tenant_id, slot_key, generation) > ($2, $3, $4::integer)
  order by tenant_id, slot_key, generation
  limit $1
), due as (
  select x.tenant_id, x.slot_key, x.generation from piece p
  join proviso.idempotency_keys x on x.tenant_id = p.tenant_id and x.slot_key = p.slot_key and x.generation = p.generation
  where p.expires_at <= proviso.clock() and x.expires_at <= proviso.clock() and x.status in ('COMPLETED', 'FAILED_FINAL', 'COMPENSATED')
  -- What somebody writes at this moment has time until the next walk.
  for update of x skip locked
), expired as (
  update proviso.idempotency_keys x set status = 'EXPIRED', response_body = case when x.rebuild then x.response_body end
  from due d where x.tenant_id = d.tenant_id and x.slot_key = d.slot_key and x.generation = d.generation
  returning 1
), last as (
  select tenant_id, slot_key, generation from piece order by tenant_id desc, slot_key desc, generation desc limit 1
)
select l.tenant_id, l.slot_key, l.generation, (select count(*) from expired)::integer as expired from last l
