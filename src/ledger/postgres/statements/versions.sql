-- Decisions about versions.

-- name: version-decisions
select seq, proviso.epoch_ms(at), body from proviso.version_decisions where seq > $1 order by seq

-- name: version-decide
insert into proviso.version_decisions (seq, at, body)
select $1, proviso.clock(), $2
where $1 = coalesce((select d.seq from proviso.version_decisions d order by d.seq desc limit 1), 0) + 1 and /* writes */
on conflict do nothing
returning seq
