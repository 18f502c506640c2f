-- The beginning of the week of this moment, and the smallest id of that week: whole weeks go, and weeks end on Sundays (UTC).
select proviso.uuid_at(w)::text, proviso.epoch_ms(w), proviso.epoch_ms(proviso.clock())
from proviso.week_of(to_timestamp($1::float8 / 1000)) w
