-- Locks the saga, then its slot, then the questions; they are never taken the other way round.
create function proviso.saga_write_v1(p_tenant text, p_id text, p_epoch integer, p_seq integer, p_state text, p_direction text, p_due_ms float8,
  p_bodies bytea[], p_locks bigint[], p_close_slot text, p_close_operation text, p_close_request_hash bytea, p_close_call uuid,
  p_close_run text, p_close_answer bytea, p_undone text, p_question_ids uuid[], p_question_calls uuid[], p_question_kinds text[],
  p_question_bodies bytea[], p_answered uuid[], p_kinds text[], p_by text)
returns text language plpgsql as $$
declare
  now_ timestamptz := proviso.clock();
  k proviso.idempotency_keys;
begin
  perform 1 from proviso.sagas where tenant = p_tenant and id = p_id and epoch = p_epoch and seq = p_seq for update;
  if not found then return 'lost'; end if;

  if p_close_slot is not null then
    -- Who is just being admitted comes first.
    perform proviso.lock_slots_v1(p_locks);
    insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind, operation,
      call_id, nonce, contract_hash, attempt, run, response_body, timeout_ms, lease_until, look_after, created_at, admitted_at, completed_at)
    values (p_tenant, p_close_slot, 1, '', p_close_request_hash, 'FAILED_FINAL', 'none', 'caller', p_close_operation, p_close_call,
      gen_random_uuid(), '', 0, p_close_run, p_close_answer, 0, now_, now_, now_, now_, now_)
    on conflict do nothing;
    select * into k from proviso.idempotency_keys x
    where x.tenant_id = p_tenant and x.slot_key = p_close_slot and x.generation = 1 for update;
    case proviso.slot_closing_v1(k.status::text, k.effect::text)
    when 'open' then
      return 'open';
    when 'close' then
      update proviso.idempotency_keys x set status = 'FAILED_FINAL', completed_at = now_
      where x.tenant_id = p_tenant and x.slot_key = p_close_slot and x.generation = 1;
    else null;
    end case;
  end if;

  if p_undone is not null then
    update proviso.idempotency_keys x set status = 'COMPENSATED'
    where x.tenant_id = p_tenant and x.slot_key = p_undone and x.generation = 1
      and proviso.slot_undoing_v1(x.status::text, x.effect::text) = 'undone';
  end if;

  insert into proviso.saga_entries (tenant, saga, seq, epoch, at, body)
  select p_tenant, p_id, p_seq + b.n, p_epoch, now_, b.body from unnest(p_bodies) with ordinality b (body, n);
  update proviso.sagas set state = p_state, direction = p_direction, seq = p_seq + cardinality(p_bodies), updated_at = now_,
    due_at = now_ + p_due_ms * interval '1 ms'
  where tenant = p_tenant and id = p_id;

  insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
  select q.id, p_tenant, q.call, q.kind, q.body, now_
  from unnest(p_question_ids, p_question_calls, p_question_kinds, p_question_bodies) q (id, call, kind, body)
  on conflict do nothing;
  update proviso.escalations set resolved_at = now_, resolved_by = p_by
  where tenant = p_tenant and call_id = any (p_answered) and kind = any (p_kinds) and resolved_at is null;
  return 'written';
end $$;
