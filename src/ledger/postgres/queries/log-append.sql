with leaves as (
  insert into proviso.log_leaves (tenant, index, hash, kind, call_id, entry, pass, group_number, commitment, previous, nodes)
  select u.tenant, u.index, substring($8::bytea from u.n::integer * 96 - 95 for 32), 'facts', u.call_id, u.entry, u.pass, u.number,
    substring($8::bytea from u.n::integer * 96 - 63 for 32), substring($8::bytea from u.n::integer * 96 - 31 for 32),
    substring($10::bytea from u.at for u.length)
  from unnest($1::text[], $2::bigint[], $3::uuid[], $4::uuid[], $5::integer[], $6::integer[], $7::integer[], $9::integer[])
    with ordinality u (tenant, index, call_id, entry, pass, number, at, length, n)
)
insert into proviso.log_heads (tenant, size, frontier)
select u.tenant, u.size, u.frontier from unnest($11::text[], $12::bigint[], $13::bytea[]) u (tenant, size, frontier)
on conflict (tenant) do update set size = excluded.size, frontier = excluded.frontier
