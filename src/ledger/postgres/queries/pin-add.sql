insert into proviso.pins (id, revision, source, stored_at, body)
select $1::text, $2::integer, $3::text, proviso.clock(), $4::bytea
where $2 = 1 + coalesce((select max(p.revision) from proviso.pins p where p.id = $1), 0)
on conflict do nothing
returning revision
