insert into proviso.grants (id, tenant, tool, user_name, expires_at) values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
on conflict do nothing
