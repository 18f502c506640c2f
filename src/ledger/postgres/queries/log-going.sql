-- How many leaves of each tenant lose their content when everything before the cut goes but for the calls that are kept.
select l.tenant, count(*)
from proviso.facts f
join proviso.log_leaves l on l.kind = 'facts' and l.call_id = f.call_id and l.entry = f.entry
where f.call_id < $1 and not (f.call_id = any ($2))
group by l.tenant
order by l.tenant
