-- In the order in which they are asked for. A counter whose window has gone by stands at nothing.
with u as (
  select c.n, c.name, c.ms, case when c.ms > 0 then to_timestamp(floor(extract(epoch from t.now_) * 1000 / c.ms) * c.ms / 1000) end as start
  from unnest($2::text[], $3::bigint[]) with ordinality c (name, ms, n) cross join (select proviso.clock() as now_) t
)
select case when u.start > x.window_from then 0 else coalesce(x.used, 0) end, case when u.start > x.window_from then 0 else coalesce(x.raised, 0) end,
  proviso.epoch_ms(greatest(u.start, x.window_from)) + u.ms
from u left join proviso.counters x on x.tenant = $1 and x.name = u.name
order by u.n
