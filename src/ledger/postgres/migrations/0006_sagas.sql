-- Sagas and their journals. Whoever owns a saga writes under its epoch; a line of the journal, the slots it speaks of and the questions it
-- raises are one commit.

-- Up Migration

create table proviso.sagas (
  tenant text not null,
  id text not null,
  name text not null,
  definition text not null,
  -- What it was begun with: version, plan, input and context.
  body bytea not null,
  state text not null,
  direction text not null,
  epoch integer not null,
  seq integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Null: over, or until a person resumes it.
  due_at timestamptz,
  primary key (tenant, id)
) with (fillfactor = 70);
create index sagas_due on proviso.sagas (due_at) where due_at is not null;
create index sagas_by_age on proviso.sagas (created_at);
-- For retention: what is over goes by the time of its last line.
create index sagas_over on proviso.sagas (updated_at) where state in ('COMPLETED', 'COMPENSATED');

create table proviso.saga_entries (
  tenant text not null,
  saga text not null,
  seq integer not null,
  epoch integer not null,
  at timestamptz not null,
  body bytea not null,
  primary key (tenant, saga, seq),
  foreign key (tenant, saga) references proviso.sagas (tenant, id) on delete cascade
);

do $$
declare
  name text;
begin
  foreach name in array array['sagas', 'saga_entries'] loop
    execute format('alter table proviso.%I enable row level security', name);
    execute format('alter table proviso.%I force row level security', name);
    execute format('create policy reader on proviso.%I for select to proviso_reader using (tenant = current_setting(''proviso.tenant'', true))', name);
    execute format('create policy owner on proviso.%I to current_user using (true) with check (true)', name);
    execute format('grant select on proviso.%I to proviso_reader', name);
  end loop;
end $$;

-- Locks the saga, then its slot, then the questions; nobody takes them the other way round.
create function proviso.saga_write(p_tenant text, p_id text, p_epoch integer, p_seq integer, p_state text, p_direction text, p_due_ms float8,
  p_bodies bytea[], p_locks bigint[], p_close text[], p_answer bytea, p_undone text, p_questions text[], p_question_bodies bytea[],
  p_answered uuid[], p_kinds text[], p_by text)
returns text language plpgsql as $$
declare
  i_slot constant integer := 1; i_operation constant integer := 2; i_request_hash constant integer := 3; i_call constant integer := 4;
  i_run constant integer := 5;
  now_ timestamptz := proviso.clock();
begin
  perform 1 from proviso.sagas where tenant = p_tenant and id = p_id and epoch = p_epoch and seq = p_seq for update;
  if not found then return 'lost'; end if;

  if p_close is not null then
    -- Whoever is just being admitted comes first.
    perform proviso.lock_slots(p_locks);
    insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind, operation,
      call_id, nonce, contract_hash, attempt, run, response_body, timeout_ms, lease_until, look_after, created_at, admitted_at, completed_at)
    values (p_tenant, p_close[i_slot], 1, '', decode(p_close[i_request_hash], 'hex'), 'FAILED_FINAL', 'none', 'caller', p_close[i_operation],
      p_close[i_call]::uuid, gen_random_uuid(), '', 0, p_close[i_run], p_answer, 0, now_, now_, now_, now_, now_)
    on conflict (tenant_id, slot_key, generation) do update set status = 'FAILED_FINAL', completed_at = now_
      where idempotency_keys.status = 'FAILED_RETRYABLE' and idempotency_keys.effect = 'none';
    perform 1 from proviso.idempotency_keys
    where tenant_id = p_tenant and slot_key = p_close[i_slot] and generation = 1 and effect = 'none' and status in ('FAILED_FINAL', 'EXPIRED');
    if not found then return 'open'; end if;
  end if;

  if p_undone is not null then
    update proviso.idempotency_keys set status = 'COMPENSATED'
    where tenant_id = p_tenant and slot_key = p_undone and generation = 1 and status = 'COMPLETED';
  end if;

  insert into proviso.saga_entries (tenant, saga, seq, epoch, at, body)
  select p_tenant, p_id, p_seq + b.n, p_epoch, now_, b.body from unnest(p_bodies) with ordinality b (body, n);
  update proviso.sagas set state = p_state, direction = p_direction, seq = p_seq + cardinality(p_bodies), updated_at = now_,
    due_at = now_ + p_due_ms * interval '1 ms'
  where tenant = p_tenant and id = p_id;

  -- Three texts a question: its id, its call and its kind.
  insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
  select p_questions[n * 3 - 2]::uuid, p_tenant, p_questions[n * 3 - 1]::uuid, p_questions[n * 3], p_question_bodies[n], now_
  from generate_series(1, cardinality(p_question_bodies)) n
  on conflict do nothing;
  update proviso.escalations set resolved_at = now_, resolved_by = p_by
  where tenant = p_tenant and call_id = any (p_answered) and kind = any (p_kinds) and resolved_at is null;
  return 'written';
end $$;

revoke execute on function proviso.saga_write(text, text, integer, integer, text, text, float8, bytea[], bigint[], text[], bytea, text, text[],
  bytea[], uuid[], text[], text) from public;

-- Down Migration

drop schema proviso cascade;
