-- Below the oldest running transaction nothing commits any more: what is read here in order has no latecomers. The commitment is made
-- here: two kilobytes of facts need not travel for 32 bytes.
select f.xid::text, f.ticket, f.tenant, f.call_id::text, f.entry::text, f.pass,
  encode(sha256($4::bytea || f.salt || int8send(f.ticket) || f.body), 'hex'), coalesce(p.known, false), p.group_number,
  encode(p.hash, 'hex')
from (
  select * from proviso.facts
  where xid >= $1::xid8 and (xid, ticket) > ($1::xid8, $2::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
  order by xid, ticket
  limit $3
) f
left join lateral (
  select max(l.group_number) as group_number, (array_agg(l.hash order by l.group_number desc))[1] as hash,
    bool_or(l.entry = f.entry) as known
  from proviso.log_leaves l where l.kind = 'facts' and l.call_id = f.call_id and l.tenant = f.tenant
) p on true
order by f.xid, f.ticket
