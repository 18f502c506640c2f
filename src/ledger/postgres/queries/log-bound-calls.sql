select c.id::text, c.tenant, c.run, c.tool, c.status, c.effect, c.body, coalesce(l.logged, false)
from (
  select * from proviso.calls
  where id > $2::uuid and ($1::text is null or tenant = $1)
  order by id
  limit $3
) c
left join lateral (
  select true as logged from proviso.log_leaves l where l.kind = 'facts' and l.call_id = c.id limit 1
) l on true
order by c.id
