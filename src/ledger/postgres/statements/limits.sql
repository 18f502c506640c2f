-- Counters: how they stand, blocks for reads, and raises.

-- name: balances
-- In the order in which they are asked for. A counter whose window has gone by stands at nothing.
with u as (
  select c.n, c.name, c.ms, proviso.window_start_v1(at => t.now_, ms => c.ms) as start
  from unnest($2::text[], $3::bigint[]) with ordinality c (name, ms, n) cross join (select proviso.clock() as now_) t
)
select coalesce(proviso.count_in_v1(known => x.used, known_from => x.window_from, newest_from => u.start), 0),
  coalesce(proviso.count_in_v1(known => x.raised, known_from => x.window_from, newest_from => u.start), 0),
  proviso.epoch_ms(greatest(u.start, x.window_from)) + u.ms
from u left join proviso.counters x on x.tenant = $1 and x.name = u.name
order by u.n

-- name: lease-quota
select granted, left_ms, used, most
from proviso.lease_quota_v1($1, $2, $3, $4, $5)

-- name: raise-limit
select proviso.raise_limit_v1($1, $2, $3, $4, $5, $6, $7)
