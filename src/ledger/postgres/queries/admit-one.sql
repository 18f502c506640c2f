-- One call of which nothing is known, with one claim that has no window, which is the most frequent of all: admitted where nothing stands
-- against it, or nothing is written at all, and the count of the last insert says so. The row of the slot comes last: where there is one
-- already, all of it is an error; and whoever waits for a counter has no slot yet that others could wait for.
with u as /* rows */,
counted as (
  insert into proviso.counters as x (tenant, name, used) select u.tenant, :name:::text, :claimed:::bigint from u
  where :claimed:::bigint <= :most:::bigint
    and not exists (select 1 from proviso.call_keys k where k.key = decode(u.call_key, 'hex'))
    and not exists (select 1 from proviso.runs r where r.tenant = u.tenant and r.run = u.run and u.unlabelled = 1 and r.labels <> '{}')
  on conflict on constraint counters_pkey do update set used = x.used + excluded.used
    where x.used + excluded.used <= :most:::bigint + x.raised
  returning 1
)
insert into proviso.idempotency_keys (/* columns */)
select /* values */
from u cross join counted cross join (select proviso.clock() as now_) t
