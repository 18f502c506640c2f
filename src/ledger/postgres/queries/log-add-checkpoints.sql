insert into proviso.log_checkpoints (tenant, size, text, at)
select u.tenant, u.size, u.text, proviso.clock() from unnest($1::text[], $2::bigint[], $3::text[]) u (tenant, size, text)
on conflict (tenant, size) do nothing
