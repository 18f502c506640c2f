insert into proviso.contracts (hash, body, stored_at)
select u.hash, u.body, proviso.clock() from unnest($1::text[], $2::bytea[]) u (hash, body)
on conflict do nothing
