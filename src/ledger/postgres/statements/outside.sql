-- What is kept of the ledger outside of it.

-- name: witness
select number, proviso.epoch_ms(at), ticket from proviso.witnesses where id = $1

-- name: witness-move
-- Committed after all that this process has committed before.
insert into proviso.witnesses as w (id, number, at, ticket)
select $1, $2::bigint + 1, proviso.clock(), (select last_value from proviso.tickets)
on conflict (id) do update set number = greatest(w.number, excluded.number - 1) + 1, at = excluded.at, ticket = excluded.ticket
returning number, proviso.epoch_ms(at), ticket

-- name: witness-acknowledge
with word as (
  insert into proviso.facts (call_id, entry, tenant, pass, body)
  select proviso.row_call_v1(), gen_random_uuid(), '/* installation */', 0,
    convert_to(($3::jsonb || jsonb_build_object('pass', 0, 'at', proviso.epoch_ms(proviso.clock()), 'facts', '[]'::jsonb))::text, 'UTF8')
)
insert into proviso.witnesses as w (id, number, at, ticket)
select $1, $2::bigint + 1, proviso.clock(), (select last_value from proviso.tickets)
on conflict (id) do update set number = excluded.number, at = excluded.at, ticket = excluded.ticket
