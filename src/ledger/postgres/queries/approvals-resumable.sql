select a.call_id::text from proviso.approvals a join proviso.calls c on c.id = a.call_id
where a.resume and a.verdict = 'approved' and a.used_by is null and a.expires_at > proviso.clock() and c.status = 'CONFIRMATION_MISSING'
  and ($1::uuid is null or a.call_id > $1)
order by a.call_id
limit 32
