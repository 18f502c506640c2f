-- Sagas and their journals.

-- part: saga
s.tenant, s.id, s.name, s.definition, s.body, s.state, s.direction, s.epoch, s.seq, proviso.epoch_ms(s.created_at),
  proviso.epoch_ms(s.updated_at), proviso.epoch_ms(s.due_at)

-- name: saga
select /* saga */
from proviso.sagas s where id = $1 and ($2::text is null or tenant = $2)
order by tenant limit 1

-- name: sagas
select /* saga */
from proviso.sagas s
where ($1::text is null or tenant = $1) and ($2::text is null or name = $2) and ($3::text is null or state = $3)
order by created_at desc, id desc
limit $4

-- name: saga-entries
select seq, epoch, proviso.epoch_ms(at), body from proviso.saga_entries where tenant = $1 and saga = $2 order by seq

-- name: saga-create
-- Nothing where it was begun before.
with begun as (
  insert into proviso.sagas (tenant, id, name, definition, body, state, direction, epoch, seq, created_at, updated_at, due_at)
  select $1, $2, $3, $4, $5, $8, $9, $10::integer, cardinality($6::bytea[]), now_, now_, now_ + $7::float8 * interval '1 ms'
  from proviso.clock() now_
  where /* writes */
  on conflict do nothing
  returning created_at
), entries as (
  insert into proviso.saga_entries (tenant, saga, seq, epoch, at, body)
  select $1, $2, b.n, $10::integer, begun.created_at, b.body from begun cross join unnest($6::bytea[]) with ordinality b (body, n)
)
select proviso.epoch_ms(created_at) from begun

-- name: saga-write
select proviso.saga_write_v1(/* arguments */)

-- name: saga-claim
with due as (
  select tenant, id from proviso.sagas
  -- The index is of times.
  where due_at <= (select proviso.clock())
    and proviso.work_due_v1(due => due_at <= proviso.clock(), watched => false, waited => false, known => definition = any ($1),
      orphan => coalesce(due_at <= proviso.clock() - $6::float8 * interval '1 ms', false)) = 'taken'
    and ($4::text is null or (tenant = $4 and id = $5))
  order by due_at
  limit $2
  for update skip locked
)
update proviso.sagas s set epoch = s.epoch + 1, due_at = proviso.clock() + $3::float8 * interval '1 ms',
  state = proviso.saga_driven_state_v1(s.direction)
from due where s.tenant = due.tenant and s.id = due.id and /* writes */
returning /* saga */

-- name: saga-renew
update proviso.sagas set due_at = proviso.clock() + $4::float8 * interval '1 ms'
where tenant = $1 and id = $2 and epoch = $3 and proviso.saga_driven_v1(state)
returning 1

-- name: saga-wake
update proviso.sagas set due_at = proviso.clock() where tenant = $1 and id = $2 and proviso.saga_waits_v1(state)
