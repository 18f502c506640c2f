with due as (
  select tenant, id from proviso.sagas
  where due_at <= proviso.clock() and (definition = any ($1) or due_at <= proviso.clock() - $6::float8 * interval '1 ms')
    and ($4::text is null or (tenant = $4 and id = $5))
  order by due_at
  limit $2
  for update skip locked
)
update proviso.sagas s set epoch = s.epoch + 1, due_at = proviso.clock() + $3::float8 * interval '1 ms',
  state = case s.direction when 'forward' then 'RUNNING' else 'COMPENSATING' end
from due where s.tenant = due.tenant and s.id = due.id
returning s.tenant, s.id, s.name, s.definition, s.body, s.state, s.direction, s.epoch, s.seq, proviso.epoch_ms(s.created_at),
  proviso.epoch_ms(s.updated_at), proviso.epoch_ms(s.due_at)
