with added as (
  insert into proviso.pins (id, revision, source, stored_at, is_look, body)
  select $1::text, $2::integer, $3::text, proviso.clock(), $5::boolean, $4::bytea
  where $2 = 1 + coalesce((select max(p.revision) from proviso.pins p where p.id = $1), 0)
  on conflict do nothing
  returning id, revision, is_look
), replaced as (
  delete from proviso.pins p using added a where p.id = a.id and p.revision = a.revision - 1 and p.is_look and a.is_look
)
select revision from added
