select a.body, proviso.epoch_ms(a.created_at), proviso.epoch_ms(a.expires_at), a.used_by::text,
  (select array_agg(d.body order by d.number) from proviso.approval_decisions d where d.approval_id = a.id),
  proviso.epoch_ms(proviso.clock())
from proviso.approvals a
where $1::text is null or a.tenant = $1
order by a.created_at, a.id
