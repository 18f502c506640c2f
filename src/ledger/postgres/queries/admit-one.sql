-- One call of which nothing is known, with one claim that has no window and whose counter is there, which is the most frequent of all:
-- admitted where nothing stands against it, or nothing is written at all, and the count of the last insert says so. The row of the slot
-- comes last: where there is one already, all of it is an error; and whoever waits for a counter has no slot yet that others could wait for.
with u as /* rows */,
counted as (
  update proviso.counters x set used = x.used + :claimed:::bigint from u
  where x.tenant = u.tenant and x.name = :name:::text and x.used + :claimed:::bigint <= :most:::bigint + x.raised
    and not exists (
      select 1 from proviso.call_keys k where k.key = any (array[decode(u.call_key, 'hex'), decode(u.run_key, 'hex')]))
  returning proviso.clock() as now_
)
insert into proviso.idempotency_keys (/* columns */)
select /* values */
from u cross join counted t
