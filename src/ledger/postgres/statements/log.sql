-- The transparency log: what the sequencer, the audit and proofs read and write.

-- part: content
f.binds_call, f.binds_slot, f.binds_answer, f.binds_amended, f.binds_row, f.binds_state, f.binds_attempt,
  f.writer, f.number, f.body

-- name: log-add-checkpoints
insert into proviso.log_checkpoints (tenant, size, text, at)
select u.tenant, u.size, u.text, proviso.clock() from unnest($1::text[], $2::bigint[], $3::text[]) u (tenant, size, text)
on conflict (tenant, size) do nothing

-- name: log-append-retirement
with leaf as (
  insert into proviso.log_leaves (tenant, index, hash, kind, previous, nodes) values ($1, $2, $3, 'retirement', $4, $5)
), retirement as (
  insert into proviso.log_retirements (tenant, number, index, from_id, to_id, leaves, reason, at_ms, previous)
  values ($1, $6, $2, $7, $8, $9, $10, $11, $4)
)
insert into proviso.log_heads (tenant, size, frontier) values ($1, $12, $13)
on conflict (tenant) do update set size = excluded.size, frontier = excluded.frontier

-- name: log-append
with leaves as (
  insert into proviso.log_leaves (tenant, index, hash, kind, call_id, entry, pass, group_number, commitment, previous, nodes)
  select u.tenant, u.index, substring($8::bytea from u.n::integer * 96 - 95 for 32), 'facts', u.call_id, u.entry, u.pass, u.number,
    substring($8::bytea from u.n::integer * 96 - 63 for 32), substring($8::bytea from u.n::integer * 96 - 31 for 32),
    substring($10::bytea from u.at for u.length)
  from unnest($1::text[], $2::bigint[], $3::uuid[], $4::uuid[], $5::integer[], $6::integer[], $7::integer[], $9::integer[])
    with ordinality u (tenant, index, call_id, entry, pass, number, at, length, n)
)
insert into proviso.log_heads (tenant, size, frontier)
select u.tenant, u.size, u.frontier from unnest($11::text[], $12::bigint[], $13::bytea[]) u (tenant, size, frontier)
on conflict (tenant) do update set size = excluded.size, frontier = excluded.frontier

-- name: log-bound-calls
select c.id::text, c.tenant, c.run, c.tool, c.status, c.effect, c.body, coalesce(l.logged, false)
from (
  select * from proviso.calls
  where id > $2::uuid and ($1::text is null or tenant = $1)
  order by id
  limit $3
) c
left join lateral (
  select true as logged from proviso.log_leaves l where l.kind = 'facts' and l.call_id = c.id limit 1
) l on true
order by c.id

-- name: log-bound-groups
-- What each group binds, calls in order. The order of groups is that of their tickets, which the log vouches for.
select call_id::text, entry::text, tenant, ticket, encode(binds_call, 'hex'), encode(binds_slot, 'hex'),
  encode(binds_answer, 'hex'), encode(binds_amended, 'hex')
from proviso.facts
where (call_id, entry) > ($2::uuid, $3::uuid) and ($1::text is null or tenant = $1)
order by call_id, entry
limit $4

-- name: log-call
select l.tenant, l.index, l.pass, l.group_number, l.commitment, l.previous, proviso.content_v1(/* content */), f.salt || int8send(f.ticket)
from proviso.log_leaves l
left join proviso.facts f on f.call_id = l.call_id and f.entry = l.entry and f.tenant = l.tenant
where l.kind = 'facts' and l.call_id = $1
order by l.group_number, l.index

-- name: log-checkpoints
select text from proviso.log_checkpoints where $1::text is null or tenant = $1 order by number

-- name: log-cursor
-- Transaction ids beyond all that this server has given out come from another server: the database was moved.
select xid::text, ticket, proviso.epoch_ms(at), xid > pg_snapshot_xmax(pg_current_snapshot()),
  pg_snapshot_xmin(pg_current_snapshot())::text, proviso.epoch_ms(proviso.clock())
from proviso.log_cursor

-- name: log-going
-- How many leaves of each tenant lose their content when everything before the cut goes but for the calls that are kept.
select l.tenant, count(*)
from proviso.facts f
join proviso.log_leaves l on l.kind = 'facts' and l.call_id = f.call_id and l.entry = f.entry
where f.call_id < $1 and not (f.call_id = any ($2))
group by l.tenant
order by l.tenant

-- name: log-group
select index, hash from proviso.log_leaves where kind = 'facts' and call_id = $2::uuid and tenant = $1 and group_number = $3

-- name: log-hashes
select index, hash, nodes from proviso.log_leaves where tenant = $1 and index = any ($2::bigint[])

-- name: log-heads
select tenant, size, frontier from proviso.log_heads where $1::text[] is null or tenant = any ($1)

-- name: log-leaves
select l.index, l.hash, l.kind, l.call_id::text, l.pass, l.group_number, l.commitment, l.previous, l.nodes, f.tenant, f.pass,
  proviso.content_v1(/* content */), f.salt || int8send(f.ticket)
from (
  select * from proviso.log_leaves where tenant = $1 and index > $2 order by index limit $3
) l
left join proviso.facts f on f.call_id = l.call_id and f.entry = l.entry
order by l.index

-- name: log-lock-signing
select pg_advisory_xact_lock(/* lock_keys */)

-- name: log-lock-wait
select pg_advisory_xact_lock(/* lock_log */)

-- name: log-lock
select pg_try_advisory_xact_lock(/* lock_log */)

-- name: log-move-cursor
-- Only from where the mover has found it: no other process has appended meanwhile.
update proviso.log_cursor set xid = $3::xid8, ticket = $4, at = proviso.clock() where xid = $1::xid8 and ticket = $2
returning 1

-- name: log-newest-checkpoints
select h.tenant, c.size, c.text from proviso.log_heads h
cross join lateral (
  select c.size, c.text from proviso.log_checkpoints c where c.tenant = h.tenant order by c.size desc limit 1
) c
where $1::text is null or h.tenant = $1
order by h.tenant

-- name: log-next-answers
fetch /* pieceSize */ from stored_answers

-- name: log-open-answers
-- The stored answers in the order of the calls that hold them, sorted by the server once and read in pieces.
declare stored_answers no scroll cursor for
select k.tenant_id, k.slot_key, k.generation, k.call_id::text, k.digest, coalesce(l.logged, false)
from (
  select tenant_id, slot_key, generation, call_id, encode(sha256(response_body), 'hex') as digest
  from proviso.idempotency_keys
  where response_body is not null and ($1::text is null or tenant_id = $1)
  order by call_id
) k
left join lateral (
  select true as logged from proviso.log_leaves l
  where l.kind = 'facts' and l.call_id = k.call_id and l.tenant = k.tenant_id
  limit 1
) l on true
order by k.call_id

-- part: facts_group
f.xid::text, f.ticket, f.tenant, f.call_id::text, f.entry::text, f.pass,
  encode(proviso.commitment_v1($4, f.salt, f.ticket, /* content */), 'hex')

-- name: log-pending
-- Below the oldest running transaction nothing commits any more: what is read here in order has no latecomers. The commitment is made
-- here: two kilobytes of facts need not travel for 32 bytes.
select /* facts_group */, coalesce(p.known, false), p.group_number, encode(p.hash, 'hex')
from (
  select * from proviso.facts
  where xid >= $1::xid8 and (xid, ticket) > ($1::xid8, $2::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
  order by xid, ticket
  limit $3
) f
left join lateral (
  select max(l.group_number) as group_number, (array_agg(l.hash order by l.group_number desc))[1] as hash,
    bool_or(l.entry = f.entry) as known
  from proviso.log_leaves l where l.kind = 'facts' and l.call_id = f.call_id and l.tenant = f.tenant
) p on true
order by f.xid, f.ticket

-- name: log-retirements
select tenant, number, index, from_id, to_id, leaves, reason, at_ms, previous from proviso.log_retirements
where $1::text is null or tenant = $1
order by tenant, number

-- name: log-settings
-- Looked up by key, in the order of the key, also where the planner still takes the tables for empty. What is lost in a crash is
-- made again: a checkpoint is signed only over what is on the disk.
select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('synchronous_commit', 'off', true)

-- name: log-tenants
-- Of whom there is anything, also where the rest of it is gone. The leaves are skipped through, one look per tenant.
with recursive leaves (tenant) as (
  (select tenant from proviso.log_leaves order by tenant limit 1)
  union all
  select (select l.tenant from proviso.log_leaves l where l.tenant > leaves.tenant order by l.tenant limit 1)
  from leaves where leaves.tenant is not null
)
select tenant from (
  select tenant from leaves where tenant is not null
  union select tenant from proviso.log_heads
  union select tenant from proviso.log_checkpoints
  union select tenant from proviso.log_retirements
) t
where $1::text is null or tenant = $1
order by tenant

-- name: log-unlogged
select /* facts_group */, false, p.group_number, encode(p.hash, 'hex'), f.body
from (
  select f.* from proviso.facts f
  where ($1::text is null or f.tenant = $1) and ($2::uuid is null or f.call_id < $2)
    and not exists (select 1 from proviso.log_leaves l where l.kind = 'facts' and l.call_id = f.call_id and l.entry = f.entry)
  order by f.ticket
  limit $3
) f
left join lateral (
  select l.group_number, l.hash from proviso.log_leaves l
  where l.kind = 'facts' and l.call_id = f.call_id and l.tenant = f.tenant
  order by l.group_number desc
  limit 1
) p on true
order by f.ticket

-- name: log-unsigned
-- Heads beyond their newest checkpoint, which is older than so many milliseconds.
select h.tenant, h.size, h.frontier, proviso.epoch_ms(proviso.clock())
from proviso.log_heads h
left join lateral (
  select c.size, c.at from proviso.log_checkpoints c where c.tenant = h.tenant order by c.size desc limit 1
) c on true
where ($1::text is null or h.tenant = $1) and h.size > coalesce(c.size, 0)
  and (c.at is null or c.at <= proviso.clock() - $2::float8 * interval '1 ms')

-- name: log-waiting-of-call
select count(*) from proviso.facts f
where f.call_id = $1
  and not exists (select 1 from proviso.log_leaves l where l.kind = 'facts' and l.call_id = f.call_id and l.entry = f.entry)
