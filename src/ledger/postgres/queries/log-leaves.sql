select l.index, l.hash, l.kind, l.call_id::text, l.pass, l.group_number, l.commitment, l.previous, l.nodes, f.tenant, f.pass, f.body, f.salt || int8send(f.ticket)
from (
  select * from proviso.log_leaves where tenant = $1 and index > $2 order by index limit $3
) l
left join proviso.facts f on f.call_id = l.call_id and f.entry = l.entry
order by l.index
