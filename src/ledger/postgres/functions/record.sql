-- What passes leave behind, for a batch: calls, facts, the ends of attempts, what goes back to the limits, and what people are asked. For
-- each entry comes back how it fits; what ends nothing is never too late.
create function proviso.record_v1(
  /* entries parameters */, /* questions parameters */,
  p_bytes bytea, p_locks bigint[], p_max_seen integer, p_writer uuid
) returns text[] language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  now_ timestamptz := proviso.clock();
  n integer := cardinality(entries_entry);
  -- By place.
  fits text[] := array_fill('settled'::text, array[n]);
  repeated boolean[] := array_fill(false, array[n]);
  e record;
  k proviso.idempotency_keys;
  fit text;
  ended timestamptz;
  sent text;
  is_late boolean;
  stays boolean;
  other record;
  -- The slots that the entry has written, and as what it has left the one that its own group names.
  written boolean;
  amended boolean;
  seen boolean;
  named record;
  -- What attempts have reserved, and is counted once more or no longer.
  recounted text[] := '{}'; recounted_tenants text[] := '{}'; recounted_at timestamptz[] := '{}'; recounted_signs integer[] := '{}';
  -- Calls whose approval is free again, and calls about which a question is answered.
  freed uuid[] := '{}';
  answered uuid[] := '{}';
begin
  perform set_config('proviso.writes', 'on', true);
  perform proviso.lock_slots_v1(p_locks);
  -- The rows of slots as well, before any is written in the order of the batch: ends in plain statements take them in this order, and no
  -- other lock.
  if cardinality(p_locks) > 1 then
    perform 1 from (
      select r.tenant, s.slot, s.generation
      from /* entries rows */ r
      cross join lateral (values (r.end_slot, r.end_generation), (r.amend_slot, r.amend_generation), (r.seen_slot, r.seen_generation)) s (slot, generation)
      where s.slot is not null
      order by r.tenant collate "C", s.slot collate "C", s.generation
    ) u join proviso.idempotency_keys x on x.tenant_id = u.tenant and x.slot_key = u.slot and x.generation = u.generation
    order by u.tenant collate "C", u.slot collate "C", u.generation for update of x;
  end if;
  -- Records, too, in one order for all, before any is written in the order of the batch; and the table of calls before that of
  -- facts, as retention takes them.
  perform 1 from (select u.id from unnest(entries_call) u (id) order by 1) u join proviso.calls x on x.id = u.id order by u.id for update of x;

  for e in select * from /* entries rows */ r loop
    k := null;
    is_late := false;
    written := false;
    amended := false;
    seen := false;
    -- Sent again because its answer was lost on the way: all of it is written. Where its facts do not vouch for a record of the call, none
    -- was written: it came late.
    select case when e.end_slot is null or e.body is null or f.binds_call is not null then 'again' else 'again_late' end into sent
    from proviso.facts f where f.call_id = e.call and f.entry = e.entry;
    repeated[e.n] := found;

    if e.end_status is not null then
      if e.end_slot is not null and not repeated[e.n] then
        select * into k from proviso.idempotency_keys x
        where x.tenant_id = e.tenant and x.slot_key = e.end_slot and x.generation = e.end_generation for update;
      end if;
      fit := proviso.settle_fit_v1(
        sent => coalesce(sent, 'first'),
        slot => case when e.end_slot is null then 'none' when k.status is null then 'absent' else 'there' end,
        pending => k.status = 'PENDING',
        attempt => case when e.end_attempt = k.attempt then 'same' when e.end_attempt < k.attempt then 'earlier' else 'later' end,
        stands => k.effect::text, says => e.end_effect, own => e.end_nonce is null or e.end_nonce = k.nonce,
        started_over => k.effect = 'none' and e.end_effect = 'happened' and exists (
          select 1 from proviso.idempotency_keys x where x.tenant_id = e.tenant and x.slot_key = e.end_slot
            and x.generation > e.end_generation and x.effect <> 'none'));
      fits[e.n] := fit;
      is_late := proviso.settle_answer_v1(fit) = 'late';

      written := proviso.settle_writes_v1(fit) and e.end_slot is not null;
      if written then
        ended := case when proviso.status_ends_v1(e.end_status) then now_ end;
        update proviso.idempotency_keys x set status = e.end_status::proviso.slot_status, effect = e.end_effect::proviso.slot_effect,
          held = e.end_held, starts = x.starts + e.end_tries, response_body = e.answer, completed_at = ended,
          rebuild = e.end_rebuild, expires_at = ended + e.end_ttl * interval '1 ms',
          -- Where it is not known yet, its owner has given it up: from now on it sends nothing, and others look at growing intervals.
          owner = null, watcher = null, lease_until = now_,
          look_after = case when e.end_held then 'infinity'
            else now_ + proviso.look_again_ms_v1(starts => x.starts + e.end_tries) * interval '1 ms' end,
          -- What the admission has kept is written below.
          admitted_call = null, admitted_facts = null, admitted_pass = null
        where x.tenant_id = e.tenant and x.slot_key = e.end_slot and x.generation = e.end_generation;
        if k.admitted_facts is not null then
          insert into proviso.facts (call_id, entry, tenant, pass, body)
          values (e.call, gen_random_uuid(), e.tenant, k.admitted_pass, k.admitted_facts);
        end if;
        -- Earlier operations of the run on the same resource no longer describe it, so they may be asked for again.
        if e.end_effect = 'happened' and k.resource is not null then
          for other in update proviso.idempotency_keys x set overtaken = true
          from proviso.slot_resources o
          where o.tenant = k.tenant_id and o.run = k.run and o.resource = k.resource and o.slot_key <> k.slot_key
            and x.tenant_id = o.tenant and x.slot_key = o.slot_key and x.generation = o.generation
            and x.run = o.run and x.resource = o.resource and not x.overtaken
            and proviso.slot_overtaking_v1(status => x.status::text, effect => x.effect::text) = 'overtaken'
          returning x.slot_key, x.generation loop
            perform proviso.bind_slot_v1(e.tenant, other.slot_key, other.generation);
          end loop;
        end if;
      end if;

      if proviso.settle_counts_v1(fit) <> 0 and k.reserved is not null then
        recounted := recounted || k.reserved;
        recounted_tenants := recounted_tenants || e.tenant;
        recounted_at := recounted_at || k.admitted_at;
        recounted_signs := recounted_signs || proviso.settle_counts_v1(fit);
      end if;

      if proviso.settle_answers_v1(fit) and proviso.status_ends_v1(e.end_status) then answered := answered || e.call; end if;
      if proviso.settle_frees_v1(fit) and proviso.status_frees_v1(e.end_status) then freed := freed || e.call; end if;

      -- Two attempts that happened: asked in the same commit, or a crash would lose it.
      if proviso.settle_asks_v1(fit) then
        insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
        values (e.entry, e.tenant, e.call, 'duplicate_side_effect', e.end_question, now_) on conflict do nothing;
      end if;
    end if;

    stays := proviso.standing_record_v1(
      again => repeated[e.n], looks_on => e.body is null, yields => e.yields, late => is_late,
      happened => coalesce(e.end_effect = 'happened', false),
      newer => (e.yields or is_late) and exists (
        select 1 from proviso.facts f where f.call_id = e.call and f.pass >= e.pass and f.binds_call is not null)) = 'stays';
    if not stays then
      insert into proviso.calls (id, tenant, run, tool, status, effect, body)
      values (e.call, e.tenant, e.run, e.tool, e.status, e.effect, e.body)
      on conflict (id) do update set status = excluded.status, effect = excluded.effect, body = excluded.body;
      if e.call_key is not null then
        insert into proviso.call_keys as x (key, tenant, call_id) values (e.call_key, e.tenant, e.call)
        on conflict on constraint call_keys_pkey do update set call_id = excluded.call_id where x.call_id <> excluded.call_id;
      end if;
    end if;

    continue when repeated[e.n];
    if e.amend_slot is not null then
      update proviso.idempotency_keys x set response_body = e.answer
      where x.tenant_id = e.tenant and x.slot_key = e.amend_slot and x.generation = e.amend_generation
        and proviso.slot_amending_v1(status => x.status::text, effect => x.effect::text) = 'amended';
      amended := found;
    end if;
    if e.seen_slot is not null then
      update proviso.idempotency_keys x set provider_call_ids = x.provider_call_ids || e.seen_provider
      where x.tenant_id = e.tenant and x.slot_key = e.seen_slot and x.generation = e.seen_generation
        and not e.seen_provider = any (x.provider_call_ids) and cardinality(x.provider_call_ids) < p_max_seen;
      seen := found;
    end if;
    -- Its own group says as what a slot was left that is the call's; of another's a group of its own does.
    select proviso.slot_state_v1(x, x.status::text) as state, x.attempt into named
    from proviso.idempotency_keys x
    where (written or amended) and x.tenant_id = e.tenant and x.slot_key = coalesce(e.end_slot, e.amend_slot)
      and x.generation = coalesce(e.end_generation, e.amend_generation) and x.call_id = e.call;
    insert into proviso.facts (call_id, entry, tenant, pass, writer, number, body, binds_call, binds_slot, binds_answer, binds_amended,
      binds_row, binds_state, binds_attempt)
    values (e.call, e.entry, e.tenant, e.pass, case when e.number is not null then p_writer end, e.number, e.facts,
      -- They do not vouch for a record that is not written.
      case when not stays then e.binds_call end, e.binds_slot, e.binds_answer, e.binds_amended,
      case when not stays then sha256('call_keys '::bytea || e.call_key) end, named.state, named.attempt)
    on conflict do nothing;
    -- Its first sending was under way until now: sent once more, it is known.
    if not found then raise exception 'PV002' using errcode = '40001'; end if;
    if (written or amended) and named.state is null then
      perform proviso.bind_slot_v1(e.tenant, coalesce(e.end_slot, e.amend_slot), coalesce(e.end_generation, e.amend_generation));
    end if;
    if seen then perform proviso.bind_slot_v1(e.tenant, e.seen_slot, e.seen_generation); end if;
  end loop;

  -- The approval of what had no effect may be used again where it may be tried again.
  if freed <> '{}' then
    update proviso.approvals a set used_by = null, used_nonce = null from unnest(freed) u (call_id) where a.used_by = u.call_id;
  end if;
  if recounted <> '{}' then
    perform proviso.recount_v1(recounted_tenants, recounted, recounted_at, recounted_signs);
  end if;
  -- An attempt that came to its end after all answers the question what became of it.
  if answered <> '{}' then
    update proviso.escalations x set resolved_at = now_, resolved_by = 'settle' from unnest(answered) u (call_id)
    where x.call_id = u.call_id and x.kind = 'unknown_effect' and x.resolved_at is null;
  end if;
  if cardinality(questions_id) > 0 then
    insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
    select q.id, entries_tenant[q.place], entries_call[q.place], q.kind, q.body, now_
    from /* questions rows */ q
    where (q.kind <> 'unknown_effect' or proviso.settle_asks_own_v1(fits[q.place])) and not repeated[q.place]
    on conflict do nothing;
  end if;

  -- Effects that are to be read back, and those that have been.
  if cardinality(array_remove(entries_verify_contract, null)) > 0 then
    insert into proviso.verifications (call_id, tenant, contract_hash, slot_key, generation, due_at, reads, body)
    select v.call, v.tenant, v.verify_contract, v.verify_slot, v.verify_generation, now_ + v.verify_after * interval '1 ms', v.verify_reads,
      v.verify_body
    from /* entries rows */ v
    where v.verify_contract is not null and proviso.settle_reads_back_v1(fits[v.n]) and not repeated[v.n]
    on conflict (call_id) do update set due_at = excluded.due_at, reads = excluded.reads, body = excluded.body, claim = null;
  end if;
  if true = any (entries_verified) then
    delete from proviso.verifications x using /* entries rows */ v
    where v.verified and proviso.settle_reads_back_v1(fits[v.n]) and not repeated[v.n] and x.call_id = v.call;
  end if;

  return fits;
end $$;
