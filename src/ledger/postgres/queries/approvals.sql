select a.body, proviso.epoch_ms(a.created_at), proviso.epoch_ms(a.expires_at), a.used_by::text, a.verdict = 'superseded', a.token, a.attached,
  (select array_agg(d.body order by d.number) from proviso.approval_decisions d where d.approval_id = a.id),
  proviso.epoch_ms(proviso.clock())
from proviso.approvals a
where ($1::text is null or a.tenant = $1) and ($2::text is null or a.id > $2) and ($3::text is null or $3 = case
    when a.verdict = 'rejected' then 'rejected'
    when a.used_by is not null then 'used'
    when a.verdict = 'superseded' then 'superseded'
    when a.kind <> 'call' and a.token is not null then 'approved'
    when a.expires_at <= proviso.clock() then 'expired'
    else a.verdict end)
order by a.id
limit $4
