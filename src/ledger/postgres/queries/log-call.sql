select l.tenant, l.index, l.pass, l.group_number, l.commitment, l.previous, f.body, f.salt || int8send(f.ticket)
from proviso.log_leaves l
left join proviso.facts f on f.call_id = l.call_id and f.entry = l.entry and f.tenant = l.tenant
where l.kind = 'facts' and l.call_id = $1
order by l.group_number, l.index
