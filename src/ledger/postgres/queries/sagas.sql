select tenant, id, name, definition, body, state, direction, epoch, seq, proviso.epoch_ms(created_at), proviso.epoch_ms(updated_at),
  proviso.epoch_ms(due_at)
from proviso.sagas
where ($1::text is null or tenant = $1) and ($2::text is null or name = $2) and ($3::text is null or state = $3)
order by created_at desc, id desc
limit $4
