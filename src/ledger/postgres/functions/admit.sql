-- Gate ten, for a batch: slot, approval, grant, rate and claims on counters; of each call all of them or none. The sequence within a batch
-- is that of its rows; equal slots never share one. Locks are taken in one order by all: slots, then approvals, then grants, then
-- counters. One JSON text comes back for each call: what it came to, and what belongs to that.
create function proviso.admit_v1(
  /* admissions parameters */, /* claims parameters */, /* counters parameters */,
  p_bytes bytea, p_locks bigint[], p_max_seen integer, p_lease_ms bigint, p_owner uuid
) returns setof text language plpgsql
-- Looked up by key, also where the planner still takes the tables for empty.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  now_ timestamptz := proviso.clock();
  lease_end timestamptz := now_ + p_lease_ms * interval '1 ms';
  n integer := cardinality(admissions_tenant);
  -- By place.
  outcomes text[] := array_fill('admitted'::text, array[n]);
  generations integer[] := admissions_generation;
  attempts integer[] := array_fill(1, array[n]);
  started integer[] := array_fill(0, array[n]);
  keys text[] := admissions_key;
  details text[] := array_fill(null::text, array[n]);
  usable boolean[] := array_fill(true, array[n]);
  granted boolean[] := usable;
  -- By counter.
  counted bigint[] := array_fill(0::bigint, array[cardinality(counters_tenant)]);
  raised bigint[] := counted;
  refunds bigint[] := counted;
  windows_from timestamptz[] := array_fill(null::timestamptz, array[cardinality(counters_tenant)]);
  is_refunding boolean := false;
  is_permitted boolean := cardinality(array_remove(admissions_approval, null)) + cardinality(array_remove(admissions_grant_id, null)) > 0;
  used_approvals text[] := '{}';
  a record;
  c record;
  p record;
  met record;
  k proviso.idempotency_keys;
  verdict text;
  counter integer;
begin
  perform set_config('proviso.writes', 'on', true);
  perform proviso.lock_slots_v1(p_locks);

  -- What the slot of each says.
  for a in select * from /* admissions rows */ r where slot is not null loop
    met := proviso.known_slot_v1(a.tenant, a.slot, a.provider);
    k := met.o_slot;
    -- What was taken for new is looked up, and refused then.
    if met.o_contradicted and not a.unseen then
      outcomes[a.n] := 'contradicted';
      if k.tenant_id is not null then details[a.n] := proviso.slot_json_v1(k); end if;
      continue;
    end if;
    if k.tenant_id is null then
      if a.unseen and (met.o_contradicted or exists (select 1 from proviso.call_keys x where x.key = any (array[a.call_key, a.run_key]))) then
        outcomes[a.n] := 'known';
      elsif a.generation <> 1 then
        outcomes[a.n] := 'stale'; generations[a.n] := 1;
      end if;
      continue;
    end if;
    generations[a.n] := k.generation;
    verdict := proviso.slot_verdict_v1(
      same_admission => k.nonce = a.nonce, unseen => a.unseen, kind => k.kind, status => k.status::text, effect => k.effect::text,
      held => k.held, overtaken => k.overtaken,
      seen => a.provider is null or cardinality(k.provider_call_ids) >= p_max_seen or a.provider = any (k.provider_call_ids),
      equal => k.request_hash = a.request_hash, over => coalesce(k.expires_at <= now_, false));
    case verdict
    when 'again' then
      outcomes[a.n] := 'again'; attempts[a.n] := k.attempt; started[a.n] := k.starts; keys[a.n] := k.idempotency_key;
    when 'known' then
      outcomes[a.n] := 'known';
    when 'generation' then
      generations[a.n] := k.generation + 1;
      -- The key was made for another generation: it is asked for again, with this one's.
      if a.generation <> k.generation + 1 then outcomes[a.n] := 'stale'; end if;
    when 'retry' then
      attempts[a.n] := k.attempt + 1; started[a.n] := k.starts; keys[a.n] := k.idempotency_key;
    else
      outcomes[a.n] := 'slot'; details[a.n] := json_build_object('verdict', verdict, 'record', proviso.slot_json_v1(k)::json);
    end case;
  end loop;

  -- An approval is used by the call that was admitted with it; locked, so that it cannot be used twice. A revocation of a grant waits for
  -- the calls that were admitted before it, and counts for all after.
  if is_permitted then
    for a in select * from /* admissions rows */ r where approval is not null order by approval loop
      continue when outcomes[a.n] <> 'admitted';
      select proviso.approval_use_v1(verdict => x.verdict, over => x.expires_at <= now_,
        used_by => case when x.used_by is null then 'none' when x.used_nonce = a.nonce then 'this_admission' else 'another' end,
        same_payload => x.payload_hash = a.payload,
        same_operation => a.slot is null or (x.slot_key = a.slot and x.generation = generations[a.n])) as verdict
      into p from proviso.approvals x where x.id = a.approval and x.tenant = a.tenant for update;
      usable[a.n] := found and p.verdict = 'usable';
    end loop;
    for a in select * from /* admissions rows */ r where grant_id is not null order by grant_id loop
      continue when outcomes[a.n] <> 'admitted';
      select proviso.grant_force_v1(revoked => x.revoked_at is not null, over => x.expires_at <= now_) as verdict
      into p from proviso.grants x where x.id = a.grant_id and x.tenant = a.tenant for share;
      granted[a.n] := found and p.verdict = 'in_force';
    end loop;
  end if;

  -- Every claim is counted at once, which locks the counters; what is refused below is given back.
  for c in select * from /* counters rows */ r loop
    p := proviso.take_counter_v1(c.tenant, c.name, c.claimed, 0, c.window_ms, now_);
    counted[c.n] := p.o_used;
    raised[c.n] := p.o_raised;
    windows_from[c.n] := p.o_from;
  end loop;

  for a in select * from /* admissions rows */ r loop
    if outcomes[a.n] = 'admitted' then
      if a.approval is not null and (not usable[a.n] or a.approval = any (used_approvals)) then
        outcomes[a.n] := 'approval';
      elsif not granted[a.n] then
        outcomes[a.n] := 'grant';
      elsif a.rate is not null and not proviso.has_room_v1(used => counted[a.rate], amount => 1, most => a.rate_max, raised => 0) then
        outcomes[a.n] := 'rate';
        details[a.n] := json_build_object(
          'afterMs', proviso.window_left_ms_v1(window_from => windows_from[a.rate], ms => counters_window_ms[a.rate], at => now_));
      else
        for each in a.claims_from .. a.claims_from + a.claims - 1 loop
          counter := claims_counter[each];
          if not proviso.has_room_v1(
            used => counted[counter], amount => claims_amount[each], most => claims_most[each], raised => raised[counter])
          then
            outcomes[a.n] := 'budget';
            details[a.n] := json_build_object('claim', each - a.claims_from, 'used', counted[counter], 'most', claims_most[each] + raised[counter],
              'now', proviso.epoch_ms(now_),
              'afterMs', proviso.window_left_ms_v1(window_from => windows_from[counter], ms => counters_window_ms[counter], at => now_));
            exit;
          end if;
        end loop;
      end if;
    end if;
    if outcomes[a.n] = 'admitted' then
      if a.rate is not null then counted[a.rate] := counted[a.rate] + 1; end if;
      for each in a.claims_from .. a.claims_from + a.claims - 1 loop
        counter := claims_counter[each];
        counted[counter] := counted[counter] + claims_amount[each];
      end loop;
      if a.approval is not null then used_approvals := used_approvals || a.approval; end if;
    else
      is_refunding := true;
      if a.rate is not null then refunds[a.rate] := refunds[a.rate] + 1; end if;
      for each in a.claims_from .. a.claims_from + a.claims - 1 loop
        counter := claims_counter[each];
        refunds[counter] := refunds[counter] + claims_amount[each];
      end loop;
    end if;
  end loop;

  if is_refunding then
    update proviso.counters x set used = x.used - u.refund
    from unnest(counters_tenant, counters_name, refunds) u (tenant, name, refund)
    where x.tenant = u.tenant and x.name = u.name and u.refund > 0;
  end if;

  for a in select * from /* admissions rows */ r loop
    continue when outcomes[a.n] <> 'admitted';
    if a.slot is not null and attempts[a.n] = 1 then
      -- The same columns as for calls of which nothing is known (admit-new in statements/admit.sql), with the resource.
      insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind, operation,
        call_id, call_key, admitted_call, admitted_facts, admitted_pass, nonce, owner, contract_hash, attempt, run, resource,
        provider_call_ids, lease_until, look_after, created_at, admitted_at, reserved)
      values (a.tenant, a.slot, generations[a.n], keys[a.n], a.request_hash, 'PENDING', 'unknown', a.kind, a.operation, a.call, a.call_key,
        a.admitted_call, a.admitted_facts, a.admitted_pass, a.nonce, p_owner, a.contract, 1, a.run, a.resource,
        array_remove(array[a.provider], null), lease_end, lease_end, now_, now_, a.reserved);
      insert into proviso.slot_marks (mark, tenant, generation) values (proviso.slot_mark_v1(a.tenant, a.slot), a.tenant, generations[a.n])
      on conflict on constraint slot_marks_pkey do update set generation = excluded.generation;
    elsif a.slot is not null then
      update proviso.idempotency_keys x set status = 'PENDING', effect = 'unknown', held = false, kind = a.kind, operation = a.operation,
        call_id = a.call, call_key = a.call_key, admitted_call = a.admitted_call, admitted_facts = a.admitted_facts,
        admitted_pass = a.admitted_pass, nonce = a.nonce, owner = p_owner, contract_hash = a.contract, attempt = attempts[a.n], run = a.run,
        resource = a.resource, lease_until = lease_end, look_after = lease_end, watcher = null, admitted_at = now_,
        reserved = a.reserved, overtaken = false, response_body = null, completed_at = null,
        expires_at = null,
        provider_call_ids = case when a.provider is null or a.provider = any (x.provider_call_ids) then x.provider_call_ids
          else x.provider_call_ids || a.provider end
      where x.tenant_id = a.tenant and x.slot_key = a.slot and x.generation = generations[a.n];
    end if;
    if a.slot is not null and a.resource is not null then
      insert into proviso.slot_resources (tenant, run, resource, slot_key, generation)
      values (a.tenant, a.run, a.resource, a.slot, generations[a.n]) on conflict do nothing;
    end if;
    if a.approval is not null then
      update proviso.approvals x set used_by = a.call, used_nonce = a.nonce where x.id = a.approval and x.tenant = a.tenant;
    end if;
    if a.call_key is not null then
      insert into proviso.call_keys as x (key, tenant, call_id) values (a.call_key, a.tenant, a.call)
      on conflict on constraint call_keys_pkey do update set call_id = excluded.call_id where x.call_id <> excluded.call_id;
    end if;
  end loop;

  for each in 1 .. n loop
    return next json_build_object(
      'outcome', case outcomes[each] when 'again' then 'admitted' else outcomes[each] end,
      'generation', generations[each], 'attempt', attempts[each], 'starts', started[each], 'key', keys[each],
      'detail', details[each]::json)::text;
  end loop;
end $$;
