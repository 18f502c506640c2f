-- Only those who are named below call them. What runs as the reader reads what its row policies let through.
revoke execute on all functions in schema proviso from public;
grant execute on function proviso.clock(), proviso.epoch_ms(timestamptz), proviso.slot_json_v1(proviso.idempotency_keys),
  proviso.newest_slot_v1(text, text, text), proviso.holder_of_v1(text, text), proviso.window_start_v1(timestamptz, bigint),
  proviso.approval_status_v1(text, boolean, boolean, boolean), proviso.status_of_approval_v1(proviso.approvals, timestamptz),
  proviso.grant_force_v1(boolean, boolean), proviso.content_v1(bytea, bytea, bytea, bytea, bytea, bytea, integer, uuid, bigint, bytea),
  proviso.slot_mark_v1(text, text), proviso.slot_digest_v1(text, integer),
  proviso.slot_state_v1(proviso.idempotency_keys, text), proviso.slot_stands_v1(proviso.idempotency_keys, bytea, bytea),
  proviso.slot_runs_v1(proviso.idempotency_keys), proviso.slot_contradicted_v1(proviso.idempotency_keys), proviso.known_slot_v1(text, text, text),
  proviso.count_in_v1(bigint, timestamptz, timestamptz) to proviso_reader;

do $$
declare
  look_up regprocedure := (select p.oid::regprocedure from pg_proc p join pg_namespace s on s.oid = p.pronamespace
    where s.nspname = 'proviso' and p.proname = 'look_up_v1');
begin
  grant create on schema proviso to proviso_reader;
  execute format('alter function %s owner to proviso_reader', look_up);
  execute format('grant execute on function %s to current_user', look_up);
  revoke create on schema proviso from proviso_reader;
end $$;
