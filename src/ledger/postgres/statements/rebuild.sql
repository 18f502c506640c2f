-- What an audit rebuilds from facts and holds the tables against: only what differs comes back. Each of these reads its tables once, in the
-- audit's own snapshot, and joins what it has sorted. A row of the answer: kind, tenant, call, place, message.

-- part: differing
select kind, tenant, call_id::text, place, message from (

-- part: most
) d where kind is not null limit 10000

-- name: rebuild-slots
with last as (
  select distinct on (f.tenant, f.binds_slot) f.tenant, f.binds_slot, f.binds_state, f.binds_attempt, f.call_id,
    coalesce(f.binds_amended, f.binds_answer) as answer
  from proviso.facts f
  where f.binds_state is not null and ($1::text is null or f.tenant = $1)
  order by f.tenant, f.binds_slot, f.ticket desc
), slots as (
  select k.tenant_id as tenant, proviso.slot_digest_v1(k.slot_key, k.generation) as digest, k.slot_key, k.generation, k.call_id, k.attempt,
    k.admitted_call is not null and proviso.slot_runs_v1(k) as runs, proviso.slot_state_v1(k, k.status::text) as state, sha256(k.response_body) as answer,
    case when k.status = 'EXPIRED' and k.expires_at <= proviso.clock() then array(
      select proviso.slot_state_v1(k, s.status) from unnest(array['COMPLETED', 'FAILED_FINAL', 'COMPENSATED']) s (status)) end as before
  from proviso.idempotency_keys k
  where $1::text is null or k.tenant_id = $1
)
/* differing */
  select coalesce(s.tenant, l.tenant) as tenant, coalesce(l.call_id, s.call_id) as call_id,
    case
      when s.tenant is null then 'slot_missing'
      when s.runs and (l.binds_attempt is null or l.binds_attempt < s.attempt) then null
      when l.tenant is null then 'slot_edited'
      when l.binds_state = any (s.before) and s.answer is null then null
      when l.binds_state <> s.state and not coalesce(l.binds_state = any (s.before), false) then 'slot_edited'
      when l.answer is distinct from s.answer then 'answer_edited'
    end as kind,
    case when s.tenant is null then 'the slot of call ' || l.call_id
      else 'generation ' || s.generation || ' of slot ' || s.slot_key || ', call ' || s.call_id end as place,
    case when s.tenant is null then 'Its facts are there, and it is gone.'
      when l.tenant is null then 'No fact says that there is such an operation.'
      else 'It is not as its last fact has left it.' end as message
  from slots s full join last l on l.tenant = s.tenant and l.binds_slot = s.digest
/* most */

-- name: rebuild-marks
/* differing */
  select coalesce(s.tenant, m.tenant) as tenant, null::uuid as call_id,
    case when s.tenant is null then 'slot_missing' when m.mark is null then 'row_missing'
      when m.generation <> s.generation or m.tenant <> s.tenant then 'row_edited' end as kind,
    case when s.tenant is null then 'the slot of mark ' || encode(m.mark, 'hex') else 'the mark of slot ' || s.slot_key end as place,
    case when s.tenant is null then 'An operation was opened under this mark, and is gone.'
      when m.mark is null then 'The operation is there, and its mark is gone.'
      else 'It names another tenant or generation than the newest of the operation.' end as message
  from (
    select k.tenant_id as tenant, k.slot_key, max(k.generation) as generation, proviso.slot_mark_v1(k.tenant_id, k.slot_key) as mark
    from proviso.idempotency_keys k group by k.tenant_id, k.slot_key
  ) s full join proviso.slot_marks m on m.mark = s.mark
  where $1::text is null or $1 in (s.tenant, m.tenant)
/* most */

-- name: rebuild-resources
-- One that an earlier attempt has named may stay: where the operation names another now, it is not used.
/* differing */
  select k.tenant_id as tenant, k.call_id, 'row_missing' as kind, 'the resource of slot ' || k.slot_key as place,
    'The operation names a resource that is not listed.' as message
  from proviso.idempotency_keys k
  left join proviso.slot_resources o on o.tenant = k.tenant_id and o.slot_key = k.slot_key and o.generation = k.generation
    and o.run = k.run and o.resource = k.resource
  where k.resource is not null and o.tenant is null and ($1::text is null or k.tenant_id = $1)
  union all
  select o.tenant, null, 'row_unknown', 'the resource of slot ' || o.slot_key, 'There is no such operation.'
  from proviso.slot_resources o
  left join proviso.idempotency_keys k on k.tenant_id = o.tenant and k.slot_key = o.slot_key and k.generation = o.generation
  where k.tenant_id is null and ($1::text is null or o.tenant = $1)
/* most */

-- name: rebuild-rows
with last as (
  select distinct on (f.tenant, substring(f.binds_row for 32)) f.tenant, substring(f.binds_row for 32) as name, substring(f.binds_row from 33) as state,
    f.body
  from proviso.facts f
  where f.binds_row is not null and f.pass = 0 and ($1::text is null or f.tenant = $1)
  order by f.tenant, substring(f.binds_row for 32), f.ticket desc
), stored as (
  /* stored rows */
), named as (
  select coalesce(r.tenant, l.tenant) as tenant, r.name as stored, l.name as bound, r.state, l.state as was, r.table_name, r.key, r.columns,
    case when length(l.body) > 2 then convert_from(l.body, 'UTF8')::jsonb end as told
  from stored r full join last l on l.name = r.name and l.tenant = r.tenant
  where coalesce(r.state, '') <> coalesce(l.state, '') or l.name is null
)
/* differing */
  select n.tenant, null::uuid as call_id,
    case when n.stored is null then 'row_missing' when coalesce(n.was, '') = '' then 'row_unknown' else 'row_edited' end as kind,
    coalesce(n.table_name, n.told ->> 'table') || ' ' || coalesce(n.key, n.told -> 'key') as place,
    case when n.stored is null then 'It was written, and is gone.'
      when coalesce(n.was, '') = '' then 'Nothing says that it was ever written.'
      else 'It is not as it was written: ' || coalesce(
        (select string_agg(c.key, ', ' order by c.key) from jsonb_each(n.columns) c where n.told -> 'columns' -> c.key is distinct from c.value),
        'a column') || '.' end as message
  from named n
/* most */

-- name: rebuild-counters
with taken as (
  select k.tenant_id as tenant, r.value ->> 0 as name, proviso.window_start_v1(at => k.admitted_at, ms => (r.value ->> 2)::bigint) as window_from,
    sum((r.value ->> 1)::bigint) as amount
  from proviso.idempotency_keys k cross join lateral json_array_elements(k.reserved::json) r
  where k.reserved is not null and (k.status = 'PENDING' or k.effect <> 'none') and ($1::text is null or k.tenant_id = $1)
  group by 1, 2, 3
), newest as (
  select distinct on (tenant, name) * from taken order by tenant, name, window_from desc nulls last
), latest as (
  -- A clock may have been set back since.
  select greatest(proviso.clock(), max(k.admitted_at)) + interval '2 days' as at from proviso.idempotency_keys k
), given as (
  select tenant, name, window_from, sum(amount) as amount from proviso.raises group by 1, 2, 3
)
/* differing */
  select coalesce(x.tenant, t.tenant) as tenant, null::uuid as call_id,
    case when x.name is null then 'row_missing'
      when x.window_from < t.window_from or (x.window_from is null) <> (t.window_from is null) then 'row_edited'
      when x.window_from is not distinct from t.window_from and x.used < t.amount then 'row_edited' end as kind,
    'counter ' || coalesce(x.name, t.name) as place,
    case when x.name is null then 'Operations have taken from it, and it is gone.'
      else 'It stands lower than what operations have taken, or in an earlier window.' end as message
  from newest t left join proviso.counters x on x.tenant = t.tenant and x.name = t.name
  union all
  select coalesce(x.tenant, g.tenant), null,
    case when x.name is null then 'row_missing' when x.raised <> coalesce(g.amount, 0) then 'row_edited'
      when x.window_from > (select at from latest) then 'row_edited' end,
    'counter ' || coalesce(x.name, g.name),
    case when x.name is null then 'It was raised, and is gone.' when x.window_from > (select at from latest) then 'Its window has not begun yet.'
      else 'Its raise is not what people have added to it.' end
  from proviso.counters x
  full join (
    select distinct on (tenant, name) * from given order by tenant, name, window_from desc nulls last
  ) g on g.tenant = x.tenant and g.name = x.name and (x.window_from is not distinct from g.window_from)
  where ($1::text is null or $1 in (x.tenant, g.tenant)) and (x.name is not null or not exists (
    select 1 from proviso.counters y where y.tenant = g.tenant and y.name = g.name))
/* most */

-- name: rebuild-keys
-- By which calls are found again, and labelled runs: a key that facts name, or a run that carries labels, has its row.
with named as (
  select distinct f.tenant, f.binds_row as name from proviso.facts f
  where f.binds_row is not null and f.pass > 0 and ($1::text is null or f.tenant = $1)
)
/* differing */
  select n.tenant, null::uuid as call_id, case when x.key is null then 'row_missing' end as kind, 'call key' as place,
    'A call is found again by it, and it is gone.' as message
  from named n left join proviso.call_keys x on sha256('call_keys '::bytea || x.key) = n.name and x.tenant = n.tenant
  union all
  select coalesce(r.tenant, x.tenant), null, case when x.key is null then 'row_missing' when r.key is null then 'row_unknown' end,
    'key of ' || coalesce('run ' || r.run, 'a run'),
    case when x.key is null then 'The run carries labels, and its key is gone.' else 'No run that carries labels has it.' end
  from (select * from proviso.runs where labels <> '{}' or family is not null) r
  full join (select * from proviso.call_keys where call_id is null) x on x.key = r.key and x.tenant = r.tenant
  where $1::text is null or $1 in (r.tenant, x.tenant)
/* most */

-- name: rebuild-open-keys
-- By which calls are found again, in the order of the calls; of one that runs, its record is in its slot.
declare stored_keys no scroll cursor for
select x.call_id::text, encode(x.key, 'hex'), x.tenant, x.call_id in (select k.call_id from proviso.idempotency_keys k where k.completed_at is null)
from proviso.call_keys x
where x.call_id is not null and ($1::text is null or x.tenant = $1)
order by x.call_id

-- name: rebuild-next-keys
fetch /* pieceSize */ from stored_keys

-- name: rebuild-settings
-- All of these read whole tables and join them: sorted and hashed, and not by key.
select set_config('enable_seqscan', 'on', true), set_config('enable_sort', 'on', true), set_config('enable_hashjoin', 'on', true),
  set_config('enable_mergejoin', 'on', true), set_config('timezone', 'UTC', true)

-- name: rebuild-checkpoints
select tenant, size, text from proviso.log_checkpoints where $1::text is null or tenant = $1

-- name: rebuild-layout
select 'step', number, sha256, name from proviso.migrations
union all
select 'functions', layout, sha256, null from proviso.functions
