select a.body, proviso.epoch_ms(a.created_at), proviso.epoch_ms(a.expires_at), a.used_by::text, a.verdict = 'superseded', a.token, a.attached,
  (select array_agg(d.body order by d.number) from proviso.approval_decisions d where d.approval_id = a.id),
  proviso.epoch_ms(proviso.clock())
from proviso.approvals a
where a.tenant = $1 and a.slot_key = $2 and a.generation = $3 and (a.verdict = 'pending' or (a.verdict = 'approved' and a.payload_hash = $4 and a.kind = 'call')) and a.used_by is null
  and a.expires_at > proviso.clock()
order by a.created_at desc, a.id desc
