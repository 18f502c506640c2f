insert into proviso.version_decisions (seq, at, body)
select $1, proviso.clock(), $2
where $1 = coalesce((select d.seq from proviso.version_decisions d order by d.seq desc limit 1), 0) + 1
on conflict do nothing
returning seq
