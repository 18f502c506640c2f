-- Calls of which nothing is known, and nothing stands against: all of them, or an error, after which proviso.admit decides on each.
-- One reading of the clock: what is counted in a window is given back to the window of the slot's time.
with t as materialized (select proviso.clock() as now_),
u as /* rows */,
counted as (
  insert into proviso.counters as x (tenant, name, used, window_from)
  select c.tenant, c.name, c.claimed, case when c.ms > 0 then to_timestamp(floor(extract(epoch from t.now_) * 1000 / c.ms) * c.ms / 1000) end
  from t cross join unnest(:owners:::text[], :names:::text[], :claimed:::bigint[], :ms:::bigint[]) c (tenant, name, claimed, ms)
  on conflict on constraint counters_pkey do update set
    used = case when excluded.window_from > x.window_from then excluded.used else x.used + excluded.used end,
    raised = case when excluded.window_from > x.window_from then 0 else x.raised end,
    window_from = greatest(x.window_from, excluded.window_from)
  returning x.tenant, x.name, x.used, x.raised
)
insert into proviso.idempotency_keys (/* columns */)
select /* values */
from u cross join t
where 1 / (
  -- Counters come back in the order in which they were given; one that does not is not trusted.
  not exists (
    select 1 from (select x.*, row_number() over () as n from counted x) x
    where x.tenant is distinct from (:owners:::text[])[x.n] or x.name is distinct from (:names:::text[])[x.n]
      or x.used > (:most:::bigint[])[x.n] + x.raised)
  -- Asked one by one, by key: joined, the planner might read the whole of what it believes to be empty.
  and not exists (
    select 1 from unnest(/* call_key */ || /* run_key */) k (key)
    where exists (select 1 from proviso.call_keys x where x.key = decode(k.key, 'hex') offset 0))
)::integer = 1
