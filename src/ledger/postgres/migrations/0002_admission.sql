-- The reading before a call and its admission, each for a batch. Parameters are few, because each costs every call a little: the texts of
-- all calls lie in one array and their numbers in another, a fixed width each, and are read by the names declared at the top. Locks are
-- taken in one order by everybody: slots, then approvals, then grants, then counters.

-- Up Migration

create type proviso.slot_row as (
  generation integer,
  idempotency_key text,
  request_hash text,
  status text,
  effect text,
  held boolean,
  kind text,
  operation text,
  call_id uuid,
  nonce uuid,
  contract_hash text,
  attempt integer,
  starts integer,
  run text,
  resource text,
  provider_call_ids text[],
  overtaken boolean,
  reserved text,
  response_body bytea,
  created_at float8,
  admitted_at float8,
  completed_at float8,
  expires_at float8
);

create function proviso.slot_of(k proviso.idempotency_keys) returns proviso.slot_row language sql stable as $$
  select k.generation, k.idempotency_key, encode(k.request_hash, 'hex'), k.status::text, k.effect::text, k.held, k.kind, k.operation, k.call_id,
    k.nonce, k.contract_hash, k.attempt, k.starts, k.run, k.resource, k.provider_call_ids, k.overtaken, k.reserved, k.response_body,
    proviso.epoch_ms(k.created_at), proviso.epoch_ms(k.admitted_at), proviso.epoch_ms(k.completed_at), proviso.epoch_ms(k.expires_at)
$$;

-- The generation that has seen this provider call id, else the newest.
create function proviso.newest_slot(p_tenant text, p_slot text, p_provider text) returns setof proviso.idempotency_keys
language sql stable as $$
  select * from proviso.idempotency_keys k
  where k.tenant_id = p_tenant and k.slot_key = p_slot
  order by coalesce(p_provider = any (k.provider_call_ids), false) desc, k.generation desc
  limit 1
$$;

-- Everybody who is about to decide on a slot that may not exist yet waits for whoever is deciding on it now. The numbers come sorted.
create function proviso.lock_slots(p_locks bigint[]) returns void language plpgsql as $$
declare
  waited boolean;
begin
  for n in 1 .. coalesce(cardinality(p_locks), 0) loop
    waited := pg_advisory_xact_lock(p_locks[n]) is null;
  end loop;
end $$;

-- What is read before the gates, in the order of the calls; calls of whom nothing is known have no row. The first row says when. It
-- runs as the reader's role, one tenant at a time.
create function proviso.look_up(p_texts text[])
returns table (o_i integer, o_body bytea, o_slot text, o_labels text[]) language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  width constant integer := 5;
  i_tenant constant integer := 1; i_call_key constant integer := 2; i_slot constant integer := 3; i_provider constant integer := 4;
  -- The run whose labels are wanted.
  i_run constant integer := 5;
  found_call uuid;
  k proviso.idempotency_keys;
  o integer;
begin
  o_i := 0;
  o_slot := proviso.epoch_ms(proviso.clock())::text;
  return next;
  for n in 1 .. cardinality(p_texts) / width loop
    o := (n - 1) * width;
    perform set_config('proviso.tenant', p_texts[o + i_tenant], true);
    o_i := n; o_body := null; o_slot := null; o_labels := null; found_call := null;
    if p_texts[o + i_call_key] is not null then
      select ck.call_id into found_call from proviso.call_keys ck where ck.key = decode(p_texts[o + i_call_key], 'hex');
      if found_call is not null then
        select c.body into o_body from proviso.calls c where c.id = found_call;
      end if;
    end if;
    if p_texts[o + i_slot] is not null then
      select s.* into k from proviso.newest_slot(p_texts[o + i_tenant], p_texts[o + i_slot], p_texts[o + i_provider]) s;
      if found then
        o_slot := row_to_json(proviso.slot_of(k))::text;
        -- The call that has the slot is found by it, and as it stands there while it runs.
        if k.call_id = found_call or (found_call is null and k.call_key = decode(p_texts[o + i_call_key], 'hex')) then
          if k.admitted is not null then
            o_body := substring(k.admitted for k.admitted_call);
          elsif found_call is null then
            select c.body into o_body from proviso.calls c where c.id = k.call_id;
          end if;
        end if;
      end if;
    end if;
    if o_body is null and found_call is not null then
      -- It runs for the first time, on a slot that was not asked for.
      select substring(x.admitted for x.admitted_call) into o_body from proviso.idempotency_keys x
      where x.completed_at is null and x.status = 'PENDING' and x.admitted is not null and x.call_id = found_call limit 1;
    end if;
    if p_texts[o + i_run] is not null then
      select r.labels into o_labels from proviso.runs r where r.tenant = p_texts[o + i_tenant] and r.run = p_texts[o + i_run];
    end if;
    if o_body is not null or o_slot is not null or o_labels is not null then return next; end if;
  end loop;
  perform set_config('proviso.tenant', '', true);
end $$;

-- Gate ten: slot, approval, rate and claims on counters, all of them or none. The sequence within a batch is the sequence of its elements; equal
-- slots never share a batch. One text per call comes back: what it came to, and what belongs to that.
create function proviso.admit(
  p_ids uuid[], p_texts text[], p_numbers bigint[], p_bytes bytea, c_texts text[], c_numbers bigint[], p_locks bigint[],
  p_approving boolean, p_max_seen integer, p_lease_ms bigint
) returns setof text language plpgsql
-- Looked up by key, whatever the planner knows of tables that were empty a moment ago.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  -- p_ids: nonce and call.
  i_nonce constant integer := -1; i_call constant integer := 0;
  -- p_texts
  texts constant integer := 15;
  i_tenant constant integer := 1; i_slot constant integer := 2; i_kind constant integer := 3; i_operation constant integer := 4;
  i_request_hash constant integer := 5; i_provider constant integer := 6; i_run constant integer := 7; i_resource constant integer := 8;
  i_key constant integer := 9; i_contract constant integer := 10; i_approval constant integer := 11; i_payload constant integer := 12;
  i_call_key constant integer := 13; i_reserved constant integer := 14; i_grant constant integer := 15;
  -- p_numbers: after those of all calls, their claims, three numbers each.
  numbers constant integer := 10;
  i_generation constant integer := 1; i_timeout constant integer := 2; i_rate constant integer := 3; i_rate_max constant integer := 4;
  i_claims constant integer := 5; i_claims_at constant integer := 6; i_body_at constant integer := 7;
  i_body_length constant integer := 8; i_facts_length constant integer := 9;
  -- 1: nothing was looked up; 2: nor what the run carries.
  i_unseen constant integer := 10;
  claim_numbers constant integer := 3; i_counter constant integer := 1; i_amount constant integer := 2; i_max constant integer := 3;
  now_ timestamptz := proviso.clock();
  lease_end timestamptz := now_ + p_lease_ms * interval '1 ms';
  n integer := cardinality(p_ids) / 2;
  counters integer := coalesce(cardinality(c_texts), 0) / 2;
  outcomes text[] := array_fill('admitted'::text, array[n]);
  generations integer[] := array_fill(1, array[n]);
  attempts integer[] := array_fill(1, array[n]);
  started integer[] := array_fill(0, array[n]);
  keys text[] := array_fill(null::text, array[n]);
  approvable boolean[];
  used_approvals text[] := '{}';
  balance bigint[] := array_fill(0::bigint, array[counters]);
  raised bigint[] := array_fill(0::bigint, array[counters]);
  refunds bigint[];
  k proviso.idempotency_keys;
  r record;
  seen boolean;
  may_open boolean;
  c integer;
  t integer;
  m integer;
  l integer;
  x_counter integer;
  -- One call's or counter's values: statements on plain variables start in a fraction of the time of those that read arrays.
  v_tenant text; v_slot text; v_kind text; v_operation text; v_request_hash bytea; v_provider text; v_run text; v_resource text;
  v_contract text; v_key text; v_call_key bytea; v_nonce uuid; v_call uuid; v_generation integer;
  v_timeout bigint; v_providers text[]; v_name text; v_claimed bigint; v_used bigint; v_raised bigint;
  v_reserved text; v_window bigint; v_from timestamptz; v_admitted bytea; v_admitted_call integer;
begin
  perform proviso.lock_slots(p_locks);

  for c in 1 .. n loop
    t := (c - 1) * texts;
    m := (c - 1) * numbers;
    generations[c] := p_numbers[m + i_generation];
    keys[c] := p_texts[t + i_key];
    v_slot := p_texts[t + i_slot];
    if v_slot is null then continue; end if;
    v_tenant := p_texts[t + i_tenant];
    v_provider := p_texts[t + i_provider];
    if p_numbers[m + i_unseen] > 0 then
      -- Almost always there is nothing, and that is found out in a third of the time.
      perform 1 from proviso.idempotency_keys x where x.tenant_id = v_tenant and x.slot_key = v_slot;
      if not found then
        v_call_key := decode(p_texts[t + i_call_key], 'hex');
        perform 1 from proviso.call_keys x where x.key = v_call_key;
        if found then outcomes[c] := 'known'; end if;
        if p_numbers[m + i_unseen] = 2 then
          v_run := p_texts[t + i_run];
          perform 1 from proviso.call_keys x where x.key = proviso.run_key(v_tenant, v_run);
          if found then outcomes[c] := 'known'; end if;
        end if;
        continue;
      end if;
    end if;
    if v_provider is null then
      select * into k from proviso.idempotency_keys x where x.tenant_id = v_tenant and x.slot_key = v_slot order by x.generation desc limit 1;
    else
      select s.* into k from proviso.newest_slot(v_tenant, v_slot, v_provider) s;
    end if;
    if not found then
      generations[c] := 1;
      if p_numbers[m + i_generation] <> 1 then outcomes[c] := 'stale'; end if;
      continue;
    end if;
    if k.nonce = p_ids[c * 2 + i_nonce] and k.status = 'PENDING' and not k.held then
      outcomes[c] := 'again'; generations[c] := k.generation; attempts[c] := k.attempt; started[c] := k.starts;
      keys[c] := k.idempotency_key;
      continue;
    end if;
    if p_numbers[m + i_unseen] > 0 then
      outcomes[c] := 'known';
      continue;
    end if;
    seen := p_texts[t + i_provider] is null or cardinality(k.provider_call_ids) >= p_max_seen
      or p_texts[t + i_provider] = any (k.provider_call_ids);
    may_open := case k.kind
      when 'pointer' then k.status = 'FAILED_FINAL' and k.effect = 'none'
      when 'implicit' then (k.status = 'FAILED_FINAL' and k.effect = 'none') or k.status = 'COMPENSATED'
        or (k.overtaken and k.status = 'COMPLETED')
      else false end;
    if not seen and may_open then
      generations[c] := k.generation + 1;
      -- The key was made for another generation: it is asked for again, with this one's.
      if p_numbers[m + i_generation] <> k.generation + 1 then outcomes[c] := 'stale'; end if;
    elsif k.request_hash = decode(p_texts[t + i_request_hash], 'hex') and k.status = 'FAILED_RETRYABLE' then
      generations[c] := k.generation; attempts[c] := k.attempt + 1; started[c] := k.starts; keys[c] := k.idempotency_key;
    else
      outcomes[c] := 'slot,' || row_to_json(proviso.slot_of(k))::text;
    end if;
  end loop;

  -- An approval is used by whoever was admitted with it; locked, so that it cannot be used twice.
  if p_approving then
    approvable := array_fill(true, array[n]);
    for r in
      select u.n, p_texts[(u.n - 1) * texts + i_approval] as id, p_texts[(u.n - 1) * texts + i_tenant] as t,
        p_texts[(u.n - 1) * texts + i_payload] as payload, p_ids[u.n * 2 + i_nonce] as nonce,
        p_texts[(u.n - 1) * texts + i_slot] as slot
      from generate_series(1, n) u (n)
      where p_texts[(u.n - 1) * texts + i_approval] is not null and outcomes[u.n] = 'admitted' order by 2
    loop
      perform 1 from proviso.approvals a where a.id = r.id and a.tenant = r.t and a.verdict = 'approved'
        and a.expires_at > now_ and (a.used_by is null or a.used_nonce = r.nonce) and a.payload_hash = r.payload
        and (r.slot is null or (a.slot_key = r.slot and a.generation = generations[r.n])) for update;
      approvable[r.n] := found;
    end loop;
    -- A revocation waits for whoever was admitted before it, and counts for everybody after.
    for r in
      select u.n, p_texts[(u.n - 1) * texts + i_grant] as id, p_texts[(u.n - 1) * texts + i_tenant] as t
      from generate_series(1, n) u (n)
      where p_texts[(u.n - 1) * texts + i_grant] is not null and outcomes[u.n] = 'admitted' order by 2
    loop
      perform 1 from proviso.grants g where g.id = r.id and g.tenant = r.t and g.revoked_at is null and g.expires_at > now_ for share;
      if not found then outcomes[r.n] := 'grant'; end if;
    end loop;
  end if;

  -- Every claim is counted at once, which locks the counters; what is refused below is given back.
  for c in 1 .. counters loop
    v_tenant := c_texts[c * 2 - 1];
    v_name := c_texts[c * 2];
    v_claimed := c_numbers[c * 2 - 1];
    v_window := c_numbers[c * 2];
    v_from := case when v_window > 0 then to_timestamp(floor(extract(epoch from now_) * 1000 / v_window) * v_window / 1000) end;
    insert into proviso.counters as x (tenant, name, used, window_from) values (v_tenant, v_name, v_claimed, v_from)
    on conflict on constraint counters_pkey do update set
      used = case when excluded.window_from > x.window_from then excluded.used else x.used + excluded.used end,
      raised = case when excluded.window_from > x.window_from then 0 else x.raised end,
      window_from = greatest(x.window_from, excluded.window_from)
    returning x.used, x.raised into v_used, v_raised;
    balance[c] := v_used - v_claimed;
    raised[c] := v_raised;
  end loop;

  for c in 1 .. n loop
    t := (c - 1) * texts;
    m := (c - 1) * numbers;
    if outcomes[c] = 'admitted' then
      if p_approving and (not approvable[c] or p_texts[t + i_approval] = any (used_approvals)) then
        outcomes[c] := 'approval';
      elsif p_numbers[m + i_rate] > 0 and balance[p_numbers[m + i_rate]] >= p_numbers[m + i_rate_max] then
        outcomes[c] := 'rate,' || c_numbers[p_numbers[m + i_rate] * 2]
          - mod(floor(extract(epoch from now_) * 1000)::bigint, c_numbers[p_numbers[m + i_rate] * 2]);
      else
        for claim in 1 .. p_numbers[m + i_claims] loop
          l := p_numbers[m + i_claims_at] + (claim - 1) * claim_numbers;
          x_counter := p_numbers[l + i_counter];
          if balance[x_counter] + p_numbers[l + i_amount] > p_numbers[l + i_max] + raised[x_counter] then
            v_window := c_numbers[x_counter * 2];
            v_used := floor(extract(epoch from now_) * 1000);
            outcomes[c] := concat_ws(',', 'budget', claim, balance[x_counter], p_numbers[l + i_max] + raised[x_counter],
              case when v_window > 0 then v_used - mod(v_used, v_window) + v_window end,
              case when v_window > 0 then v_window - mod(v_used, v_window) end);
            exit;
          end if;
        end loop;
      end if;
      if outcomes[c] = 'admitted' then
        if p_numbers[m + i_rate] > 0 then balance[p_numbers[m + i_rate]] := balance[p_numbers[m + i_rate]] + 1; end if;
        for claim in 1 .. p_numbers[m + i_claims] loop
          l := p_numbers[m + i_claims_at] + (claim - 1) * claim_numbers;
          x_counter := p_numbers[l + i_counter];
          balance[x_counter] := balance[x_counter] + p_numbers[l + i_amount];
        end loop;
        if p_texts[t + i_approval] is not null then used_approvals := used_approvals || p_texts[t + i_approval]; end if;
        continue;
      end if;
    end if;
    if refunds is null then refunds := array_fill(0::bigint, array[counters]); end if;
    if p_numbers[m + i_rate] > 0 then refunds[p_numbers[m + i_rate]] := refunds[p_numbers[m + i_rate]] + 1; end if;
    for claim in 1 .. p_numbers[m + i_claims] loop
      l := p_numbers[m + i_claims_at] + (claim - 1) * claim_numbers;
      x_counter := p_numbers[l + i_counter];
      refunds[x_counter] := refunds[x_counter] + p_numbers[l + i_amount];
    end loop;
  end loop;

  if refunds is not null then
    update proviso.counters x set used = x.used - refunds[u.n]
    from generate_series(1, counters) u (n)
    where x.tenant = c_texts[u.n * 2 - 1] and x.name = c_texts[u.n * 2] and refunds[u.n] > 0;
  end if;

  for c in 1 .. n loop
    if outcomes[c] <> 'admitted' then continue; end if;
    t := (c - 1) * texts;
    m := (c - 1) * numbers;
    v_tenant := p_texts[t + i_tenant];
    v_slot := p_texts[t + i_slot];
    v_nonce := p_ids[c * 2 + i_nonce];
    v_call := p_ids[c * 2 + i_call];
    if v_slot is not null then
      v_kind := p_texts[t + i_kind];
      v_operation := p_texts[t + i_operation];
      v_request_hash := decode(p_texts[t + i_request_hash], 'hex');
      v_provider := p_texts[t + i_provider];
      v_run := p_texts[t + i_run];
      v_resource := p_texts[t + i_resource];
      v_contract := p_texts[t + i_contract];
      v_timeout := p_numbers[m + i_timeout];
      v_generation := generations[c];
      v_key := keys[c];
      v_call_key := decode(p_texts[t + i_call_key], 'hex');
      v_reserved := p_texts[t + i_reserved];
      v_admitted_call := p_numbers[m + i_body_length];
      v_admitted := substring(p_bytes from p_numbers[m + i_body_at]::integer for (v_admitted_call + p_numbers[m + i_facts_length])::integer);
      if attempts[c] = 1 then
        -- The same columns as in admit-new.ts, with the resource.
        v_providers := case when v_provider is null then '{}'::text[] else array[v_provider] end;
        insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind,
          operation, call_id, call_key, admitted, admitted_call, nonce, contract_hash, attempt, run, resource, provider_call_ids,
          timeout_ms, lease_until, look_after, created_at, admitted_at, reserved)
        values (v_tenant, v_slot, v_generation, v_key, v_request_hash, 'PENDING', 'unknown', v_kind, v_operation, v_call, v_call_key,
          v_admitted, v_admitted_call, v_nonce, v_contract, 1, v_run, v_resource, v_providers, v_timeout, lease_end, lease_end, now_, now_,
          v_reserved);
      else
        update proviso.idempotency_keys x set status = 'PENDING', effect = 'unknown', held = false, call_id = v_call, nonce = v_nonce,
          call_key = v_call_key, admitted = v_admitted, admitted_call = v_admitted_call, kind = v_kind, operation = v_operation, run = v_run, resource = v_resource, contract_hash = v_contract,
          attempt = attempts[c], timeout_ms = v_timeout, response_status = null, response_body = null, error_code = null,
          completed_at = null, expires_at = null, overtaken = false, admitted_at = now_, reserved = v_reserved, lease_until = lease_end, look_after = lease_end,
          provider_call_ids = case when v_provider is null or v_provider = any (x.provider_call_ids) then x.provider_call_ids
            else x.provider_call_ids || v_provider end
        where x.tenant_id = v_tenant and x.slot_key = v_slot and x.generation = v_generation;
      end if;
      if v_resource is not null then
        insert into proviso.slot_resources (tenant, run, resource, slot_key, generation)
        values (v_tenant, v_run, v_resource, v_slot, v_generation) on conflict do nothing;
      end if;
    end if;
    if p_approving and p_texts[t + i_approval] is not null then
      update proviso.approvals a set used_by = v_call, used_nonce = v_nonce where a.id = p_texts[t + i_approval] and a.tenant = v_tenant;
    end if;
    if p_texts[t + i_call_key] is not null then
      v_call_key := decode(p_texts[t + i_call_key], 'hex');
      insert into proviso.call_keys as x (key, tenant, call_id) values (v_call_key, v_tenant, v_call)
      on conflict on constraint call_keys_pkey do update set call_id = excluded.call_id where x.call_id <> excluded.call_id;
    end if;
  end loop;

  for c in 1 .. n loop
    if outcomes[c] = 'admitted' or outcomes[c] = 'again' then
      return next 'admitted,' || generations[c] || ',' || attempts[c] || ',' || started[c] || ',' || coalesce(keys[c], '');
    elsif outcomes[c] = 'stale' then
      return next 'stale,' || generations[c];
    else
      return next outcomes[c];
    end if;
  end loop;
end $$;

-- Down Migration

drop schema proviso cascade;
