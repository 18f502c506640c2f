with due as (
  select tenant_id, slot_key, generation from proviso.idempotency_keys
  where expires_at <= proviso.clock() and status in ('COMPLETED', 'FAILED_FINAL', 'COMPENSATED')
  limit $1
  for update skip locked
)
update proviso.idempotency_keys x set status = 'EXPIRED', response_body = case when x.rebuild then x.response_body end
from due where x.tenant_id = due.tenant_id and x.slot_key = due.slot_key and x.generation = due.generation
