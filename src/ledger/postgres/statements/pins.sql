-- What people have approved of what others publish.

-- name: pin
select case when revision is distinct from $2::integer then body end from proviso.pins where id = $1 order by revision desc limit 1

-- name: pins
select n.body from (select distinct on (id) id, source, body from proviso.pins order by id, revision desc) n order by n.source, n.id

-- name: pin-add
with added as (
  insert into proviso.pins (id, revision, source, stored_at, is_look, body)
  select $1::text, $2::integer, $3::text, proviso.clock(), $5::boolean, $4::bytea
  where $2 = 1 + coalesce((select max(p.revision) from proviso.pins p where p.id = $1), 0) and /* writes */
  on conflict do nothing
  returning id, revision, is_look
), replaced as (
  delete from proviso.pins p using added a where p.id = a.id and p.revision = a.revision - 1 and p.is_look and a.is_look
)
select revision from added
