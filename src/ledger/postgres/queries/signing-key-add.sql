insert into proviso.signing_keys (name, pem, created_at) values ('tokens', $1, proviso.clock()) on conflict do nothing
