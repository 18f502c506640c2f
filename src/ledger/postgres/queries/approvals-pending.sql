select a.body, proviso.epoch_ms(a.created_at), proviso.epoch_ms(a.expires_at), a.used_by::text, a.verdict = 'superseded', a.token, a.attached,
  (select array_agg(d.body order by d.number) from proviso.approval_decisions d where d.approval_id = a.id),
  proviso.epoch_ms(proviso.clock())
from (
  select * from proviso.approvals p
  where p.verdict = 'pending' and p.expires_at > proviso.clock() and p.used_by is null and ($1::text is null or p.tenant = $1)
    and ($2::text is null or p.id > $2)
  order by p.id
  limit $3
) a
order by a.id
