with leaf as (
  insert into proviso.log_leaves (tenant, index, hash, kind, previous, nodes) values ($1, $2, $3, 'retirement', $4, $5)
), retirement as (
  insert into proviso.log_retirements (tenant, number, index, from_id, to_id, leaves, reason, at_ms, previous)
  values ($1, $6, $2, $7, $8, $9, $10, $11, $4)
)
insert into proviso.log_heads (tenant, size, frontier) values ($1, $12, $13)
on conflict (tenant) do update set size = excluded.size, frontier = excluded.frontier
