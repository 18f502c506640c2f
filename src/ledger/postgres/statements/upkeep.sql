-- Partitions ahead of time, and the retirement of what is old.

-- name: partitions-due
select to_regclass('proviso.' || proviso.partition_name('facts', proviso.week_of(proviso.clock()) + interval '14 days')) is null

-- name: ensure-partitions
select proviso.ensure_partitions_v1($1)

-- name: cut-of
-- The beginning of the week of this moment, and the smallest id of that week: whole weeks go, and weeks end on Sundays (UTC).
select proviso.uuid_at(w)::text, proviso.epoch_ms(w), proviso.epoch_ms(proviso.clock())
from proviso.week_of(to_timestamp($1::float8 / 1000)) w

-- name: open-calls
select proviso.open_calls_v1($1)::text

-- name: drop-before
select proviso.drop_before_v1($1, $2, $3::xid8)

-- name: drop-sagas
-- With their journals. One that is open, frozen or could not be undone stays, however old it is. The index is of those two states.
delete from proviso.sagas where state in ('COMPLETED', 'COMPENSATED') and proviso.saga_over_v1(state) and updated_at < to_timestamp($1::float8 / 1000) and /* writes */

-- name: log-thin-checkpoints
-- Of those older than a day, the last of each hour is enough.
delete from proviso.log_checkpoints c using (
  select number, row_number() over (partition by tenant, date_trunc('hour', at) order by size desc) as place
  from proviso.log_checkpoints where at < proviso.clock() - interval '1 day'
) old
where c.number = old.number and old.place > 1
