-- Operations: the end in a plain statement for most calls, by a function for all others; leases, recovery, resolution.

-- name: record
select proviso.record_v1(/* arguments */)

-- name: settle-new
-- Attempts that happened, of calls that nothing was written of before; of one that is not as expected, nothing is written, and the count
-- of the last insert says so. People are only ever asked about slots that are held. What the admission wrote of a call goes to its tables
-- with what its end has added. Its answer's time is counted from a moment after its end.
with u as /* rows */,
settled as (
  update proviso.idempotency_keys x set status = 'COMPLETED', effect = 'happened', starts = x.starts + u.tries,
    response_body = u.answer, completed_at = proviso.clock(), rebuild = u.rebuild, expires_at = proviso.clock() + u.ttl * interval '1 ms',
    admitted_call = null, admitted_facts = null, admitted_pass = null, owner = null
  from u /* before */
  where x.tenant_id = u.tenant and x.slot_key = u.slot and x.generation = u.generation
    and x.status = 'PENDING' and not x.held and x.attempt = u.attempt and x.nonce = u.nonce and x.resource is null
    and x.admitted_call is not null
  returning u.call, u.tenant, u.run, u.tool, u.status, u.entry, u.salt, u.binds_call, u.binds_slot, u.binds_answer,
    /* state */ as binds_state, u.attempt,
    old.admitted_call || u.ending as body, old.admitted_facts || u.facts as facts
),
calls as (
  insert into proviso.calls (id, tenant, run, tool, status, effect, body)
  select s.call, s.tenant, s.run, s.tool, s.status, 'happened', s.body from settled s
)
insert into proviso.facts (call_id, entry, tenant, pass, salt, body, binds_call, binds_slot, binds_answer, binds_state, binds_attempt)
select s.call, s.entry, s.tenant, 1, s.salt, s.facts, s.binds_call, s.binds_slot, s.binds_answer, s.binds_state, s.attempt from settled s

-- name: bind-slot
select proviso.bind_slot_v1($1, $2, $3)

-- name: entry-committed
select exists (select 1 from proviso.facts where call_id = $1 and entry = $2) as done

-- name: lock-slots
select proviso.lock_slots_v1($1)

-- name: lock-slot
select proviso.epoch_ms(proviso.clock()), proviso.slot_json_v1(x) from proviso.idempotency_keys x
where x.tenant_id = $1 and x.slot_key = $2 and x.generation = $3 for update

-- name: slot-of-call
-- A held slot is pending, and found by the index of what is; only of a call that is not held all slots are read. SQL does not
-- promise that the first of the two is asked first, as Postgres does: the other way round would take longer and find the same.
(select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
 where x.completed_at is null and x.call_id = $1 and ($2::text is null or x.tenant_id = $2)
 order by x.held desc, x.generation desc limit 1)
union all
(select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
 where x.call_id = $1 and ($2::text is null or x.tenant_id = $2)
 order by x.generation desc limit 1)
limit 1

-- name: lock-call
select 1 from proviso.calls where id = $1 for update

-- name: claim
with due as (
  select tenant_id, slot_key, generation from proviso.idempotency_keys
  -- The index is of the pending, by their times.
  where completed_at is null and status = 'PENDING' and look_after <= (select proviso.clock())
    and proviso.work_due_v1(due => look_after <= proviso.clock(), watched => coalesce(watcher <> $5, false),
      waited => look_after <= proviso.clock() - $6::float8 * interval '1 ms', known => contract_hash = any ($1),
      orphan => look_after <= proviso.clock() - $4::float8 * interval '1 ms') = 'taken'
  order by look_after
  limit $2
  for update skip locked
), claimed as (
  update proviso.idempotency_keys x set look_after = proviso.clock() + $3::float8 * interval '1 ms', watcher = $5
  from due where x.tenant_id = due.tenant_id and x.slot_key = due.slot_key and x.generation = due.generation
  returning x.tenant_id, x.slot_key, x.generation
)
select k.tenant_id, k.slot_key, coalesce(k.admitted_call, c.body),
  proviso.epoch_ms(k.lease_until), proviso.epoch_ms(proviso.clock()), proviso.slot_json_v1(k)
from claimed x
join proviso.idempotency_keys k on k.tenant_id = x.tenant_id and k.slot_key = x.slot_key and k.generation = x.generation
left join proviso.calls c on c.id = k.call_id
where k.admitted_call is not null or c.id is not null

-- name: restart
-- Only by the one who still has the claim, and only while the provider remembers: asked of the database's clock, in the moment of the start,
-- and counted from the first admission, or from earlier where the claimant knows that this clock was set back since.
-- From here on the attempt has another name, so that an owner who says late that it did nothing does not speak for this start.
with restarted as (
  update proviso.idempotency_keys
  set nonce = $5, owner = $9, lease_until = proviso.clock() + $6::float8 * interval '1 ms', look_after = proviso.clock() + $7::float8 * interval '1 ms'
  where tenant_id = $1 and slot_key = $2 and generation = $3 and nonce = $4 and status = 'PENDING' and not held
    and look_after > proviso.clock()
  and least(created_at, to_timestamp($10::float8 / 1000)) + $8::float8 * interval '1 ms' > proviso.clock()
returning tenant_id, slot_key, generation
)
select proviso.bind_slot_v1(tenant_id, slot_key, generation) from restarted

-- name: owner-of
select owner::text, watcher is not distinct from $5::uuid from proviso.idempotency_keys
where tenant_id = $1 and slot_key = $2 and generation = $3 and nonce = $4 and status = 'PENDING'

-- name: cut-off
-- Only where its lease is over and another process has looked: then the database does not renew it any more. Up to now its owner may have
-- acted, so that is when its lease ends for all that count from there, also where the one that cut it off dies before it has written anything.
update proviso.idempotency_keys set owner = null, lease_until = proviso.clock()
where tenant_id = $1 and slot_key = $2 and generation = $3 and nonce = $4 and status = 'PENDING'
  and lease_until <= proviso.clock() and watcher is not null

-- name: end-owner
-- The sessions that hold this lock, each told to end and waited for; no row where there is none.
select pg_terminate_backend(l.pid, $2::bigint)
from pg_locks l
where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
  and l.database = (select d.oid from pg_database d where d.datname = current_database())
  and l.classid = (($1::bigint >> 32) & 4294967295)::oid and l.objid = ($1::bigint & 4294967295)::oid

-- name: postpone
update proviso.idempotency_keys set look_after = proviso.clock() + $5::float8 * interval '1 ms'
where tenant_id = $1 and slot_key = $2 and generation = $3 and nonce = $4 and status = 'PENDING' and not held

-- name: renew-leases
-- Ends of the same process take several rows, too, each in their own order: what is locked is about to end, and not waited for.
with mine as (
  select x.tenant_id, x.slot_key, x.generation from proviso.idempotency_keys x
  join unnest($1::text[], $2::text[], $3::integer[], $4::uuid[]) u (tenant, slot, generation, nonce)
    on x.tenant_id = u.tenant and x.slot_key = u.slot and x.generation = u.generation and x.nonce = u.nonce
  where x.status = 'PENDING' and not x.held
    -- A lease that has run out is not renewed: another process may already be looking. Once one has looked it is not either, though a
    -- clock that was set back says that the lease still runs.
    and x.lease_until > proviso.clock() and x.watcher is null
  for update of x skip locked
)
update proviso.idempotency_keys x
set lease_until = proviso.clock() + $5::float8 * interval '1 ms', look_after = proviso.clock() + $5::float8 * interval '1 ms'
from mine m where x.tenant_id = m.tenant_id and x.slot_key = m.slot_key and x.generation = m.generation
returning x.nonce::text

-- name: resolve
update proviso.idempotency_keys x
set status = $4::proviso.slot_status, effect = $5::proviso.slot_effect, held = false, completed_at = proviso.clock(), response_body = null
where x.tenant_id = $1 and x.slot_key = $2 and x.generation = $3 and x.held
returning proviso.slot_json_v1(x)

-- name: recount
select proviso.recount_v1(array[$1::text], array[$2::text], array[to_timestamp($3::float8 / 1000)], array[$4::integer])

-- name: statements
select body from proviso.statements where tenant = $1 and nonce = $2 order by at, person

-- name: statement-add
insert into proviso.statements (tenant, nonce, person, body, at) select $1, $2, $3, $4, proviso.clock() where /* writes */
on conflict (tenant, nonce, person) do update set body = excluded.body, at = excluded.at

-- name: expire
-- Walks the slots in the order of their keys, a piece at a time, and gives where the piece ends: an index on the time of expiry would cost
-- every call more than this walk does.
with piece as (
  select tenant_id, slot_key, generation, expires_at from proviso.idempotency_keys
  where (tenant_id, slot_key, generation) > ($2, $3, $4::integer)
  order by tenant_id, slot_key, generation
  limit $1
), due as (
  select x.tenant_id, x.slot_key, x.generation from piece p
  join proviso.idempotency_keys x on x.tenant_id = p.tenant_id and x.slot_key = p.slot_key and x.generation = p.generation
  where p.expires_at <= proviso.clock() and x.expires_at <= proviso.clock()
    and proviso.slot_expiry_v1(status => x.status::text, effect => x.effect::text) = 'expires'
  -- What is being written at this moment has time until the next walk.
  for update of x skip locked
), expired as (
  update proviso.idempotency_keys x set status = 'EXPIRED', response_body = case when x.rebuild then x.response_body end
  from due d where x.tenant_id = d.tenant_id and x.slot_key = d.slot_key and x.generation = d.generation
  returning 1
), last as (
  select tenant_id, slot_key, generation from piece order by tenant_id desc, slot_key desc, generation desc limit 1
)
select l.tenant_id, l.slot_key, l.generation, (select count(*) from expired)::integer as expired from last l
