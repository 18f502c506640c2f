select a.body, proviso.epoch_ms(a.created_at), proviso.epoch_ms(a.expires_at), a.used_by::text, a.verdict = 'superseded', a.token, a.attached,
  (select array_agg(d.body order by d.number) from proviso.approval_decisions d where d.approval_id = a.id),
  proviso.epoch_ms(proviso.clock()), g.revocation, proviso.epoch_ms(g.revoked_at)
from proviso.grants g join proviso.approvals a on a.id = g.id
where g.id = $1
