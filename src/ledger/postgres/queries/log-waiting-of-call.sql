select count(*) from proviso.facts f
where f.call_id = $1
  and not exists (select 1 from proviso.log_leaves l where l.kind = 'facts' and l.call_id = f.call_id and l.entry = f.entry)
