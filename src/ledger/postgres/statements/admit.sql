-- Admissions: by one plain statement for most calls, by the function admit for all others. Here counters of limits are taken from, too.

-- name: admit
select * from proviso.admit_v1(/* arguments */)

-- name: admit-new
-- Admits calls of which nothing is known. It admits all of them, or it ends in an error, and then admit decides on each. The rows of the
-- slots are inserted last. So a row that is there already undoes all that was counted, and an admission that waits for a counter holds no
-- slot that others would have to wait for. The clock is read once: the moment of the slot then lies in the window that was counted in, and
-- what is given back later goes to that window.
with t as materialized (select proviso.clock() as now_),
u as /* rows */,
free as materialized (
  -- Asked one by one, by key: joined, the planner might read the whole of what it believes to be empty.
  select not exists (
    select 1 from unnest(/* call_key */ || /* run_key */) k (key)
    where exists (select 1 from proviso.call_keys x where x.key = decode(k.key, 'hex') offset 0)) as ok
),
/* counted */,
-- Of one that was there once and is gone the mark is left: an error as well.
marked as (
  insert into proviso.slot_marks (mark, tenant, generation)
  select proviso.slot_mark_v1(u.tenant, u.slot), u.tenant, 1 from u where (select ok from fits)
)
insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind, operation, call_id,
  call_key, admitted_call, admitted_facts, admitted_pass, nonce, owner, contract_hash, attempt, run, provider_call_ids,
  lease_until, look_after, created_at, admitted_at, reserved)
select u.tenant, u.slot, 1, u.key, u.request_hash, 'PENDING', 'unknown', u.kind, u.operation, u.call, u.call_key, u.admitted_call,
  u.admitted_facts, u.admitted_pass, u.nonce, :owner:::uuid, u.contract, 1, u.run, array_remove(array[u.provider], null),
  t.now_ + :lease:::bigint * interval '1 ms', t.now_ + :lease:::bigint * interval '1 ms', t.now_, t.now_, u.reserved
from u cross join t
where (select ok from fits)

-- part: counters that are there
-- Without windows: to add to one costs a fraction of making sure that it is there. Where there is but one, nothing is written if it has no
-- room; of several, some may have been counted by then, so that it is an error.
counted as (
  update proviso.counters x set used = x.used + c.claimed
  from free cross join unnest(:owners:::text[], :names:::text[], :claimed:::bigint[], :most:::bigint[]) c (tenant, name, claimed, most)
  where free.ok and x.tenant = c.tenant and x.name = c.name
    and proviso.has_room_v1(used => x.used, amount => c.claimed, most => c.most, raised => x.raised)
  returning 1 as one
),
fits as (
  select case when :counters:::bigint = 1 then count(counted.one) = 1 else proviso.expect_v1(free.ok and count(counted.one) = :counters:::bigint) end as ok
  from counted right join free on true group by free.ok
)

-- part: any counters
taken as (
  insert into proviso.counters as x (tenant, name, used, window_from)
  select c.tenant, c.name, c.claimed, proviso.window_start_v1(at => t.now_, ms => c.ms)
  from t cross join unnest(:owners:::text[], :names:::text[], :claimed:::bigint[], :ms:::bigint[]) c (tenant, name, claimed, ms)
  on conflict on constraint counters_pkey do update set
    used = proviso.count_in_v1(known => x.used, known_from => x.window_from, newest_from => excluded.window_from) + excluded.used,
    raised = proviso.count_in_v1(known => x.raised, known_from => x.window_from, newest_from => excluded.window_from),
    window_from = greatest(x.window_from, excluded.window_from)
  returning x.tenant, x.name, x.used, x.raised
),
fits as (
  select proviso.expect_v1((select ok from free) and count(*) = :counters:::bigint) as ok
  from taken x join unnest(:owners:::text[], :names:::text[], :most:::bigint[]) c (tenant, name, most)
    on c.tenant = x.tenant and c.name = x.name
  where proviso.has_room_v1(used => x.used, amount => 0, most => c.most, raised => x.raised)
)
