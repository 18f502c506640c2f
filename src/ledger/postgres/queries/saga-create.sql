-- Nothing where it was begun before.
with begun as (
  insert into proviso.sagas (tenant, id, name, definition, body, state, direction, epoch, seq, created_at, updated_at, due_at)
  select $1, $2, $3, $4, $5, 'RUNNING', 'forward', 1, cardinality($6::bytea[]), now_, now_, now_ + $7::float8 * interval '1 ms' from proviso.clock() now_
  on conflict do nothing
  returning created_at
), entries as (
  insert into proviso.saga_entries (tenant, saga, seq, epoch, at, body)
  select $1, $2, b.n, 1, begun.created_at, b.body from begun cross join unnest($6::bytea[]) with ordinality b (body, n)
)
select proviso.epoch_ms(created_at) from begun
