-- Of those older than a day, the last of each hour is enough.
delete from proviso.log_checkpoints c using (
  select number, row_number() over (partition by tenant, date_trunc('hour', at) order by size desc) as place
  from proviso.log_checkpoints where at < proviso.clock() - interval '1 day'
) old
where c.number = old.number and old.place > 1
