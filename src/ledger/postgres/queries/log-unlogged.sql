select f.xid::text, f.ticket, f.tenant, f.call_id::text, f.entry::text, f.pass,
  encode(sha256($4::bytea || f.salt || int8send(f.ticket) || f.body), 'hex'), false, p.group_number, encode(p.hash, 'hex'), f.body
from (
  select f.* from proviso.facts f
  where ($1::text is null or f.tenant = $1) and ($2::uuid is null or f.call_id < $2)
    and not exists (select 1 from proviso.log_leaves l where l.kind = 'facts' and l.call_id = f.call_id and l.entry = f.entry)
  order by f.ticket
  limit $3
) f
left join lateral (
  select l.group_number, l.hash from proviso.log_leaves l
  where l.kind = 'facts' and l.call_id = f.call_id and l.tenant = f.tenant
  order by l.group_number desc
  limit 1
) p on true
order by f.ticket
