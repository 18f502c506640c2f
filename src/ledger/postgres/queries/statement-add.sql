insert into proviso.statements (tenant, nonce, person, body, at) values ($1, $2, $3, $4, proviso.clock())
on conflict (tenant, nonce, person) do update set body = excluded.body, at = excluded.at
