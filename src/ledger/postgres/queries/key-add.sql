insert into proviso.keys (id, tenant, body, created_at) values ($1, $2, $3, proviso.clock())
