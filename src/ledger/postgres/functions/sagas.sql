-- Locks the saga, then its slot, then the questions; they are never taken the other way round.
create function proviso.saga_write_v1(
  /* writes parameters */, /* lines parameters */, /* saga_questions parameters */,
  p_bytes bytea, p_locks bigint[], p_answered uuid[], p_kinds text[]
) returns text language plpgsql
as $$
declare
  now_ timestamptz := proviso.clock();
  w record;
  k proviso.idempotency_keys;
begin
  perform set_config('proviso.writes', 'on', true);
  select * into w from /* writes rows */ r;
  perform 1 from proviso.sagas where tenant = w.tenant and id = w.id and epoch = w.epoch and seq = w.seq for update;
  if not found then return 'lost'; end if;

  if w.close_slot is not null then
    -- Who is just being admitted comes first.
    perform proviso.lock_slots_v1(p_locks);
    -- One that was there once and is gone may have had its effect.
    insert into proviso.slot_marks (mark, tenant, generation) values (proviso.slot_mark_v1(w.tenant, w.close_slot), w.tenant, 1)
    on conflict do nothing;
    if not found and not exists (
      select 1 from proviso.idempotency_keys x where x.tenant_id = w.tenant and x.slot_key = w.close_slot)
    then return 'open'; end if;
    insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind, operation,
      call_id, nonce, contract_hash, attempt, run, response_body, lease_until, look_after, created_at, admitted_at, completed_at)
    values (w.tenant, w.close_slot, 1, '', w.close_request_hash, 'FAILED_FINAL', 'none', 'caller', w.close_operation, w.close_call,
      gen_random_uuid(), '', 0, w.close_run, w.close_answer, now_, now_, now_, now_, now_)
    on conflict do nothing;
    select * into k from proviso.idempotency_keys x
    where x.tenant_id = w.tenant and x.slot_key = w.close_slot and x.generation = 1 for update;
    case proviso.slot_closing_v1(status => k.status::text, effect => k.effect::text)
    when 'open' then
      return 'open';
    when 'close' then
      update proviso.idempotency_keys x set status = 'FAILED_FINAL', completed_at = now_
      where x.tenant_id = w.tenant and x.slot_key = w.close_slot and x.generation = 1;
    else null;
    end case;
    perform proviso.bind_slot_v1(w.tenant, w.close_slot, 1);
  end if;

  if w.undone is not null then
    update proviso.idempotency_keys x set status = 'COMPENSATED'
    where x.tenant_id = w.tenant and x.slot_key = w.undone and x.generation = 1
      and proviso.slot_undoing_v1(status => x.status::text, effect => x.effect::text) = 'undone';
    if found then perform proviso.bind_slot_v1(w.tenant, w.undone, 1); end if;
  end if;

  insert into proviso.saga_entries (tenant, saga, seq, epoch, at, body)
  select w.tenant, w.id, w.seq + b.n, w.epoch, now_, b.body from /* lines rows */ b;
  update proviso.sagas set state = w.state, direction = w.direction, seq = w.seq + cardinality(lines_body_at), updated_at = now_,
    due_at = now_ + w.due_ms * interval '1 ms'
  where tenant = w.tenant and id = w.id;

  insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
  select q.id, w.tenant, q.call, q.kind, q.body, now_
  from /* saga_questions rows */ q
  on conflict do nothing;
  update proviso.escalations set resolved_at = now_, resolved_by = w.answered_by
  where tenant = w.tenant and call_id = any (p_answered) and kind = any (p_kinds) and resolved_at is null;
  return 'written';
end $$;
