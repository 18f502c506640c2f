select tenant, id, name, definition, body, state, direction, epoch, seq, proviso.epoch_ms(created_at), proviso.epoch_ms(updated_at),
  proviso.epoch_ms(due_at)
from proviso.sagas where id = $1 and ($2::text is null or tenant = $2)
order by tenant limit 1
