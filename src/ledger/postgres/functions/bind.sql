-- What facts say of the rows beside them: as what each was left. A row that is not so any more was changed by another hand.

-- By which a slot is known to have been opened.
create function proviso.slot_mark_v1(p_tenant text, p_slot text) returns bytea language sql immutable parallel safe as $$
  select substring(sha256(convert_to(length(p_tenant) || ' ' || p_tenant || ' ' || p_slot, 'UTF8')) for 16)
$$;

-- A slot and its generation, as facts name them (log/binds.ts).
create function proviso.slot_digest_v1(p_slot text, p_generation integer) returns bytea language sql immutable parallel safe as $$
  select sha256(convert_to(p_slot || ' ' || p_generation, 'UTF8'))
$$;

-- All that decides in the row of a slot, under a status: without its answer, which facts bind by itself.
create function proviso.slot_state_v1(k proviso.idempotency_keys, p_status text) returns bytea language sql stable as $$
  select /* slot state */
$$;

-- Whether the row of a slot is as a fact has left it. One that has expired since has another status, and may have no answer any more.
create function proviso.slot_stands_v1(k proviso.idempotency_keys, p_state bytea, p_answer bytea) returns boolean language sql stable as $$
  select proviso.slot_state_v1(k, k.status::text) = p_state and sha256(k.response_body) is not distinct from p_answer
    or k.status = 'EXPIRED' and k.expires_at <= proviso.clock()
      and (k.response_body is null or sha256(k.response_body) is not distinct from p_answer)
      and exists (
        select 1 from unnest(array['COMPLETED', 'FAILED_FINAL', 'COMPENSATED']) s (status) where proviso.slot_state_v1(k, s.status) = p_state)
$$;

-- Whether a slot that keeps its admission is as one of an attempt that runs: nothing is known of its effect.
create function proviso.slot_runs_v1(k proviso.idempotency_keys) returns boolean language sql immutable parallel safe as $$
  select k.status = 'PENDING' and k.effect = 'unknown' and not k.held and k.completed_at is null and k.response_body is null
$$;

-- Whether a slot contradicts the last fact that names it. An attempt that runs may have no fact yet; of calls that were retired there are
-- none any more. It reads in the snapshot of its caller, who reads the slot in the same.
create function proviso.slot_contradicted_v1(k proviso.idempotency_keys) returns boolean language plpgsql stable as $$
declare
  last record;
begin
  if k.admitted_call is not null and not proviso.slot_runs_v1(k) then return true; end if;
  select f.binds_state, f.binds_attempt, coalesce(f.binds_amended, f.binds_answer) as answer into last
  from proviso.facts f
  where f.call_id = k.call_id and f.tenant = k.tenant_id and f.binds_slot = proviso.slot_digest_v1(k.slot_key, k.generation)
    and f.binds_state is not null
  order by f.ticket desc limit 1;
  if not found then
    return k.admitted_call is null and not exists (
      select 1 from proviso.log_retirements r where r.tenant = k.tenant_id and k.call_id < r.to_id::uuid);
  end if;
  if k.admitted_call is not null and last.binds_attempt < k.attempt then return false; end if;
  return not proviso.slot_stands_v1(k, last.binds_state, last.answer);
end $$;

-- A group without facts, which says as what a slot was left.
create function proviso.bind_slot_v1(p_tenant text, p_slot text, p_generation integer) returns void language sql as $$
  insert into proviso.facts (call_id, entry, tenant, pass, body, binds_slot, binds_answer, binds_state, binds_attempt)
  select k.call_id, gen_random_uuid(), k.tenant_id, 0, convert_to('{"pass":0,"at":' || proviso.epoch_ms(proviso.clock()) || ',"facts":[]}', 'UTF8'),
    proviso.slot_digest_v1(k.slot_key, k.generation), sha256(k.response_body), proviso.slot_state_v1(k, k.status::text), k.attempt
  from proviso.idempotency_keys k
  where k.tenant_id = p_tenant and k.slot_key = p_slot and k.generation = p_generation
$$;

-- The slot that a call meets, all null where there is none, and whether it contradicts its mark or its last fact: in one snapshot, or an end
-- that comes in between would look like an edit.
create function proviso.known_slot_v1(p_tenant text, p_slot text, p_provider text, out o_slot proviso.idempotency_keys, out o_contradicted boolean)
language plpgsql stable as $$
declare
  newest integer;
begin
  select m.generation into newest from proviso.slot_marks m where m.mark = proviso.slot_mark_v1(p_tenant, p_slot);
  select s.* into o_slot from proviso.newest_slot_v1(p_tenant, p_slot, p_provider) s;
  if not found then
    o_contradicted := newest is not null;
  elsif p_provider is null or not p_provider = any (o_slot.provider_call_ids) then
    o_contradicted := newest is distinct from o_slot.generation or proviso.slot_contradicted_v1(o_slot);
  else
    o_contradicted := proviso.slot_contradicted_v1(o_slot);
  end if;
end $$;

-- Rows of other tables.

create function proviso.row_key_v1(p_row jsonb, p_columns text[]) returns jsonb language sql immutable parallel safe as $$
  select jsonb_object_agg(c, p_row -> c) from unnest(p_columns) c
$$;

create function proviso.row_name_v1(p_table text, p_key jsonb) returns bytea language sql immutable parallel safe as $$
  select sha256(convert_to(p_table || ' ' || p_key, 'UTF8'))
$$;

create function proviso.row_state_v1(p_row jsonb, p_unbound text[]) returns bytea language sql immutable parallel safe as $$
  select sha256(convert_to((p_row - p_unbound)::text, 'UTF8'))
$$;

-- A short hash of each column, so that an audit can say which one differs.
create function proviso.row_columns_v1(p_row jsonb, p_unbound text[]) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(e.key, substring(encode(sha256(convert_to(e.value::text, 'UTF8')), 'hex') for 12)), '{}')
  from jsonb_each(p_row - p_unbound) e
$$;

-- The id under which a row is bound: there is no call of it.
create function proviso.row_call_v1() returns uuid language sql volatile as $$
  select (substring(proviso.uuid_at(proviso.clock())::text for 14) || '7' || substring(gen_random_uuid()::text from 16))::uuid
$$;

-- Binds what Proviso writes: functions and statements that do say so, for as long as they run. What another hand writes is not bound, and so
-- is found. A tool that works in a transaction of the ledger's is another hand.
create function proviso.bind_row_v1() returns trigger language plpgsql set timezone = 'UTC' as $$
declare
  row_ jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
  columns text[] := string_to_array(tg_argv[0], ',');
  unbound text[] := string_to_array(tg_argv[1], ',');
  name jsonb := proviso.row_key_v1(row_, columns);
  state bytea := case tg_op when 'DELETE' then '' else proviso.row_state_v1(row_, unbound) end;
begin
  if current_setting('proviso.writes', true) is distinct from 'on' then return null; end if;
  if tg_op = 'UPDATE' and state = proviso.row_state_v1(to_jsonb(old), unbound) then return null; end if;
  insert into proviso.facts (call_id, entry, tenant, pass, body, binds_row)
  values (proviso.row_call_v1(), gen_random_uuid(), coalesce(row_ ->> 'tenant', '/* installation */'), 0,
    convert_to(jsonb_build_object('pass', 0, 'at', proviso.epoch_ms(proviso.clock()), 'facts', '[]'::jsonb, 'table', tg_table_name, 'key', name,
      'columns', proviso.row_columns_v1(case tg_op when 'DELETE' then '{}' else row_ end, unbound))::text, 'UTF8'),
    proviso.row_name_v1(tg_table_name, name) || state);
  return null;
end $$;

/* binding triggers */
