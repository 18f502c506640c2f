-- The writes of a call and the reading before it, each for a batch. Every function takes arrays of one length, one element per call, and
-- answers by position. Locks are taken in one order by everybody: slots, then approvals, then counters.

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
  response_body bytea,
  created_at float8,
  admitted_at float8,
  completed_at float8,
  expires_at float8
);

create function proviso.slot_of(k proviso.idempotency_keys) returns proviso.slot_row language sql stable as $$
  select k.generation, k.idempotency_key, encode(k.request_hash, 'hex'), k.status, k.effect, k.held, k.kind, k.operation, k.call_id,
    k.nonce, k.contract_hash, k.attempt, k.starts, k.run, k.resource, k.provider_call_ids, k.overtaken, k.response_body,
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

-- Everybody who is about to decide on a slot that may not exist yet waits for whoever is deciding on it now.
create function proviso.lock_slots(p_tenant text[], p_slot text[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(o.h) from (
    select distinct hashtextextended(u.s, hashtextextended(u.t, 0)) as h from unnest(p_tenant, p_slot) u (t, s) where u.s is not null
    order by 1
  ) o;
end $$;

-- What is read before the gates. It runs as the reader's role, one tenant at a time.
create function proviso.look_up(p_tenant text[], p_call_key text[], p_slot text[], p_provider text[])
returns table (i integer, body bytea, ending bytea, slot proviso.slot_row, at float8) language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  found_call uuid;
  k proviso.idempotency_keys;
begin
  at := proviso.epoch_ms(proviso.clock());
  for n in 1 .. cardinality(p_tenant) loop
    perform set_config('proviso.tenant', p_tenant[n], true);
    i := n; body := null; ending := null; slot := null;
    if p_call_key[n] is not null then
      select ck.call_id into found_call from proviso.call_keys ck where ck.key = decode(p_call_key[n], 'hex');
      if found_call is not null then
        select c.body, c.ending into body, ending from proviso.calls c where c.id = found_call;
      end if;
    end if;
    if p_slot[n] is not null then
      select s.* into k from proviso.newest_slot(p_tenant[n], p_slot[n], p_provider[n]) s;
      if found then slot := proviso.slot_of(k); end if;
    end if;
    return next;
  end loop;
  perform set_config('proviso.tenant', '', true);
end $$;

-- Gate ten: slot, approval, rate and budget, all of them or none. The sequence within a batch is the sequence of its elements; equal
-- slots never share a batch.
create function proviso.admit(
  p_nonce uuid[], p_call uuid[], p_tenant text[], p_slot text[], p_kind text[], p_operation text[], p_request_hash text[],
  p_provider text[], p_run text[], p_resource text[], p_generation integer[], p_key text[], p_timeout bigint[], p_contract text[],
  p_approval text[], p_payload text[], p_rate integer[], p_rate_max bigint[], p_budget integer[], p_budget_max bigint[],
  p_call_key text[], p_tool text[], p_call_run text[],
  p_pass integer[], p_body_at integer[], p_body_length integer[], p_facts_length integer[], p_bytes bytea,
  c_tenant text[], c_name text[], c_claimed bigint[], c_window_ms bigint[], p_max_seen integer, p_lease_ms bigint
) returns table (o_i integer, o_outcome text, o_generation integer, o_attempt integer, o_starts integer, o_key text, o_wait_ms float8,
  o_slot proviso.slot_row)
language plpgsql
-- Looked up by key, whatever the planner knows of tables that were empty a moment ago.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  now_ timestamptz := proviso.clock();
  n integer := cardinality(p_nonce);
  counters integer := cardinality(c_tenant);
  outcomes text[] := array_fill('admitted'::text, array[n]);
  generations integer[] := p_generation;
  attempts integer[] := array_fill(1, array[n]);
  started integer[] := array_fill(0, array[n]);
  keys text[] := p_key;
  retries boolean[] := array_fill(false, array[n]);
  waits float8[] := array_fill(0::float8, array[n]);
  slots proviso.slot_row[] := array_fill(null::proviso.slot_row, array[n]);
  balance bigint[] := array_fill(0::bigint, array[greatest(counters, 1)]);
  refunds bigint[] := array_fill(0::bigint, array[greatest(counters, 1)]);
  refunding boolean := false;
  approvable boolean[] := array_fill(true, array[n]);
  used_approvals text[] := '{}';
  k proviso.idempotency_keys;
  r record;
  seen boolean;
  may_open boolean;
  c integer;
begin
  perform proviso.lock_slots(p_tenant, p_slot);

  for r in
    select u.n::integer as n, s.k from unnest(p_tenant, p_slot, p_provider) with ordinality u (t, s, p, n)
    cross join lateral (select x as k from proviso.newest_slot(u.t, u.s, u.p) x) s
    where u.s is not null
  loop
    k := r.k;
    c := r.n;
    if k.nonce = p_nonce[c] and k.status = 'PENDING' and not k.held then
      outcomes[c] := 'again'; generations[c] := k.generation; attempts[c] := k.attempt; started[c] := k.starts;
      keys[c] := k.idempotency_key;
      continue;
    end if;
    seen := p_provider[c] is null or cardinality(k.provider_call_ids) >= p_max_seen or p_provider[c] = any (k.provider_call_ids);
    may_open := case k.kind
      when 'pointer' then k.status = 'FAILED_FINAL' and k.effect = 'none'
      when 'implicit' then (k.status = 'FAILED_FINAL' and k.effect = 'none') or k.status = 'COMPENSATED'
        or (k.overtaken and k.status = 'COMPLETED')
      else false end;
    if not seen and may_open then
      -- The key was made for another generation: it is asked for again, with this one's.
      if p_generation[c] <> k.generation + 1 then
        outcomes[c] := 'stale'; generations[c] := k.generation + 1;
      end if;
    elsif k.request_hash = decode(p_request_hash[c], 'hex') and k.status = 'FAILED_RETRYABLE' then
      retries[c] := true; generations[c] := k.generation; attempts[c] := k.attempt + 1; started[c] := k.starts;
      keys[c] := k.idempotency_key;
    else
      outcomes[c] := 'slot'; slots[c] := proviso.slot_of(k);
    end if;
  end loop;

  -- An approval is used by whoever was admitted with it; locked, so that it cannot be used twice.
  for r in
    select u.n from unnest(p_approval) with ordinality u (id, n) where u.id is not null and outcomes[u.n] = 'admitted' order by u.id
  loop
    perform 1 from proviso.approvals a where a.id = p_approval[r.n] and a.tenant = p_tenant[r.n] and a.verdict = 'approved'
      and a.expires_at > now_ and a.used_by is null and a.payload_hash = p_payload[r.n] for update;
    approvable[r.n] := found;
  end loop;

  -- Every claim is counted at once, which locks the counters; what is refused below is given back.
  for r in
    with counted as (
      insert into proviso.counters as x (tenant, name, used, window_from)
      select u.t, u.m, u.claimed,
        case when u.w > 0 then to_timestamp(floor(extract(epoch from now_) * 1000 / u.w) * u.w / 1000) end
      from unnest(c_tenant, c_name, c_claimed, c_window_ms) with ordinality u (t, m, claimed, w, n) order by u.n
      on conflict (tenant, name) do update set
        used = case when excluded.window_from > x.window_from then excluded.used else x.used + excluded.used end,
        window_from = greatest(x.window_from, excluded.window_from)
      returning x.tenant, x.name, x.used
    )
    select u.n, counted.used from counted join unnest(c_tenant, c_name) with ordinality u (t, m, n)
      on counted.tenant = u.t and counted.name = u.m
  loop
    balance[r.n] := r.used - c_claimed[r.n];
  end loop;

  for c in 1 .. n loop
    if outcomes[c] = 'admitted' then
      if not approvable[c] or p_approval[c] = any (used_approvals) then
        outcomes[c] := 'approval';
      elsif balance[p_rate[c]] >= p_rate_max[c] then
        outcomes[c] := 'rate';
        waits[c] := c_window_ms[p_rate[c]]
          - mod(floor(extract(epoch from now_) * 1000)::bigint, c_window_ms[p_rate[c]]);
      elsif p_budget[c] is not null and balance[p_budget[c]] >= p_budget_max[c] then
        outcomes[c] := 'budget';
      else
        balance[p_rate[c]] := balance[p_rate[c]] + 1;
        if p_budget[c] is not null then balance[p_budget[c]] := balance[p_budget[c]] + 1; end if;
        if p_approval[c] is not null then used_approvals := used_approvals || p_approval[c]; end if;
        continue;
      end if;
    end if;
    refunding := true;
    refunds[p_rate[c]] := refunds[p_rate[c]] + 1;
    if p_budget[c] is not null then refunds[p_budget[c]] := refunds[p_budget[c]] + 1; end if;
  end loop;

  if refunding then
    update proviso.counters x set used = x.used - u.back
    from unnest(c_tenant, c_name, refunds[1:counters]) u (t, m, back) where x.tenant = u.t and x.name = u.m and u.back > 0;
  end if;

  insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind, operation,
    call_id, nonce, contract_hash, attempt, run, resource, provider_call_ids, timeout_ms, lease_until, look_after, created_at, admitted_at)
  select p_tenant[u.n], p_slot[u.n], generations[u.n], keys[u.n], decode(p_request_hash[u.n], 'hex'), 'PENDING', 'unknown', p_kind[u.n],
    p_operation[u.n], p_call[u.n], p_nonce[u.n], p_contract[u.n], 1, p_run[u.n], p_resource[u.n],
    case when p_provider[u.n] is null then '{}'::text[] else array[p_provider[u.n]] end, p_timeout[u.n],
    now_ + p_lease_ms * interval '1 ms', now_ + p_lease_ms * interval '1 ms', now_, now_
  from generate_series(1, n) u (n) where outcomes[u.n] = 'admitted' and p_slot[u.n] is not null and not retries[u.n];

  if true = any (retries) then
    update proviso.idempotency_keys x set status = 'PENDING', effect = 'unknown', held = false, call_id = p_call[u.n], nonce = p_nonce[u.n],
      kind = p_kind[u.n], operation = p_operation[u.n], run = p_run[u.n], resource = p_resource[u.n],
      contract_hash = p_contract[u.n], attempt = attempts[u.n], timeout_ms = p_timeout[u.n], response_status = null, response_body = null,
      error_code = null, completed_at = null, expires_at = null, overtaken = false, admitted_at = now_,
      lease_until = now_ + p_lease_ms * interval '1 ms', look_after = now_ + p_lease_ms * interval '1 ms',
      provider_call_ids = case when p_provider[u.n] is null or p_provider[u.n] = any (x.provider_call_ids) then x.provider_call_ids
        else x.provider_call_ids || p_provider[u.n] end
    from generate_series(1, n) u (n)
    where outcomes[u.n] = 'admitted' and retries[u.n]
      and x.tenant_id = p_tenant[u.n] and x.slot_key = p_slot[u.n] and x.generation = generations[u.n];
  end if;

  update proviso.approvals a set used_by = p_call[u.n] from generate_series(1, n) u (n)
  where p_approval[u.n] is not null and outcomes[u.n] = 'admitted' and a.id = p_approval[u.n] and a.tenant = p_tenant[u.n];

  insert into proviso.calls (id, tenant, run, tool, status, effect, body)
  select p_call[u.n], p_tenant[u.n], p_call_run[u.n], p_tool[u.n], 'RUNNING', 'unknown',
    substring(p_bytes from p_body_at[u.n] for p_body_length[u.n])
  from generate_series(1, n) u (n) where outcomes[u.n] = 'admitted' and p_body_length[u.n] > 0
  on conflict (id) do update set status = excluded.status, effect = excluded.effect, body = excluded.body, ending = null;

  insert into proviso.call_keys (key, tenant, call_id)
  select decode(p_call_key[u.n], 'hex'), p_tenant[u.n], p_call[u.n]
  from generate_series(1, n) u (n) where outcomes[u.n] = 'admitted' and p_call_key[u.n] is not null
  on conflict (key) do update set call_id = excluded.call_id where call_keys.call_id <> excluded.call_id;

  insert into proviso.facts (call_id, entry, tenant, pass, body)
  select p_call[u.n], p_nonce[u.n], p_tenant[u.n], p_pass[u.n],
    substring(p_bytes from p_body_at[u.n] + p_body_length[u.n] for p_facts_length[u.n])
  from generate_series(1, n) u (n) where outcomes[u.n] = 'admitted' and p_facts_length[u.n] > 0
  on conflict do nothing;

  return query select u.n, outcomes[u.n], generations[u.n], attempts[u.n], started[u.n], keys[u.n], waits[u.n], slots[u.n]
    from generate_series(1, n) u (n);
end $$;

-- What passes leave behind: the call, its facts, what its attempt came to. Only the attempt that is pending can be settled, or one given
-- up as without effect that turns out to have happened.
create function proviso.record(
  p_entry uuid[], p_call uuid[], p_tenant text[], p_call_key text[], p_tool text[], p_run text[], p_status text[], p_effect text[],
  p_pass integer[], p_known boolean[], p_body_at integer[], p_body_length integer[], p_facts_length integer[], p_answer_length integer[],
  s_slot text[], s_generation integer[], s_attempt integer[], s_status text[], s_effect text[], s_held boolean[], s_tries integer[],
  s_code integer[], s_error text[], s_ttl_ms float8[], s_budget text[],
  a_slot text[], a_generation integer[], n_slot text[], n_generation integer[], n_provider text[],
  e_of integer[], e_id uuid[], e_kind text[], e_at integer[], e_length integer[], p_bytes bytea, p_max_seen integer,
  p_writer uuid, p_number bigint[]
) returns table (o_i integer, o_settlement text) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  now_ timestamptz := proviso.clock();
  n integer := cardinality(p_entry);
  settlements text[] := array_fill('settled'::text, array[n]);
  resources integer[] := '{}';
  r record;
begin
  perform proviso.lock_slots(p_tenant || p_tenant || p_tenant, s_slot || a_slot || n_slot);

  settlements := (
    select array_agg(case when s_slot[u.n] is null then 'settled' else 'late' end order by u.n) from generate_series(1, n) u (n)
  );
  for r in
    update proviso.idempotency_keys x set status = s_status[u.n], effect = s_effect[u.n], held = s_held[u.n],
      starts = x.starts + s_tries[u.n], response_status = s_code[u.n], error_code = s_error[u.n],
      response_body = case when p_answer_length[u.n] > 0 then
        substring(p_bytes from p_body_at[u.n] + p_body_length[u.n] + p_facts_length[u.n] for p_answer_length[u.n]) end,
      completed_at = case when s_status[u.n] <> 'PENDING' then now_ end,
      -- Not known yet, and nobody starts it any more: from now on it is looked after, at growing intervals.
      lease_until = least(x.lease_until, now_),
      look_after = now_ + least(60000, 500 * 2 ^ least(x.starts + s_tries[u.n], 10)) * interval '1 ms',
      expires_at = case when s_status[u.n] <> 'PENDING' then now_ + s_ttl_ms[u.n] * interval '1 ms' end
    from generate_series(1, n) u (n)
    where s_slot[u.n] is not null and x.tenant_id = p_tenant[u.n] and x.slot_key = s_slot[u.n] and x.generation = s_generation[u.n]
      and x.attempt = s_attempt[u.n]
      and (x.status = 'PENDING' or (x.effect = 'none' and s_effect[u.n] = 'happened'))
    returning u.n, x.resource
  loop
    settlements[r.n] := 'settled';
    if r.resource is not null and s_effect[r.n] = 'happened' then resources := resources || r.n::integer; end if;
  end loop;

  -- Earlier operations of the run on the same resource no longer describe it, so they may be asked for again.
  if cardinality(resources) > 0 then
    update proviso.idempotency_keys x set overtaken = true
    from unnest(resources) u (n)
    join proviso.idempotency_keys me on me.tenant_id = p_tenant[u.n] and me.slot_key = s_slot[u.n] and me.generation = s_generation[u.n]
    where x.tenant_id = me.tenant_id and x.run = me.run and x.resource = me.resource and x.slot_key <> me.slot_key
      and x.status = 'COMPLETED' and not x.overtaken
      -- What this batch settles after an operation came later than it, and is not overtaken by it.
      and not exists (select 1 from generate_series(u.n + 1, cardinality(p_entry)) v (n) where s_slot[v.n] = x.slot_key and settlements[v.n] = 'settled'
        and p_tenant[v.n] = x.tenant_id and s_generation[v.n] = x.generation);
  end if;

  if 'late' = any (settlements) then
    for r in
      select u.n, x.attempt, x.effect, x.status from generate_series(1, n) u (n)
      join proviso.idempotency_keys x
        on x.tenant_id = p_tenant[u.n] and x.slot_key = s_slot[u.n] and x.generation = s_generation[u.n]
      where settlements[u.n] = 'late'
    loop
      -- The same settle, issued again because its answer was lost on the way.
      if exists (select 1 from proviso.facts f where f.call_id = p_call[r.n] and f.entry = p_entry[r.n]) then
        settlements[r.n] := 'settled';
      elsif r.attempt <> s_attempt[r.n] and s_effect[r.n] = 'happened' and r.effect <> 'none' then
        settlements[r.n] := 'duplicate';
      end if;
    end loop;
  end if;

  -- What had no effect costs nothing, and its approval may be used again where it may be tried again.
  if 'none' = any (s_effect) then
    update proviso.counters x set used = greatest(0, x.used - b.back) from (
      select p_tenant[u.n] as t, s_budget[u.n] as m, count(*) as back from generate_series(1, n) u (n)
      where s_effect[u.n] = 'none' and s_budget[u.n] is not null and settlements[u.n] = 'settled'
        and not exists (select 1 from proviso.facts f where f.call_id = p_call[u.n] and f.entry = p_entry[u.n])
      group by 1, 2 order by 1, 2
    ) b where x.tenant = b.t and x.name = b.m;
    update proviso.approvals a set used_by = null from generate_series(1, n) u (n)
    where s_effect[u.n] = 'none' and s_status[u.n] = 'FAILED_RETRYABLE' and settlements[u.n] = 'settled'
      and a.tenant = p_tenant[u.n] and a.used_by = p_call[u.n];
  end if;

  insert into proviso.calls (id, tenant, run, tool, status, effect, body)
  select p_call[u.n], p_tenant[u.n], p_run[u.n], p_tool[u.n], p_status[u.n], p_effect[u.n],
    substring(p_bytes from p_body_at[u.n] for p_body_length[u.n])
  from generate_series(1, n) u (n) where not p_known[u.n]
  on conflict (id) do update set status = excluded.status, effect = excluded.effect, body = excluded.body, ending = null;

  update proviso.calls c set status = p_status[u.n], effect = p_effect[u.n],
    ending = substring(p_bytes from p_body_at[u.n] for p_body_length[u.n])
  from generate_series(1, n) u (n) where p_known[u.n] and c.id = p_call[u.n];

  insert into proviso.call_keys (key, tenant, call_id)
  select decode(p_call_key[u.n], 'hex'), p_tenant[u.n], p_call[u.n]
  from generate_series(1, n) u (n) where p_call_key[u.n] is not null and not p_known[u.n]
  on conflict (key) do update set call_id = excluded.call_id where call_keys.call_id <> excluded.call_id;

  if exists (select 1 from unnest(a_slot) a where a is not null) then
    update proviso.idempotency_keys x set response_body =
      substring(p_bytes from p_body_at[u.n] + p_body_length[u.n] + p_facts_length[u.n] for p_answer_length[u.n])
    from (
      select distinct on (p_tenant[i.n], a_slot[i.n], a_generation[i.n]) i.n from generate_series(1, n) i (n) where a_slot[i.n] is not null
      order by p_tenant[i.n], a_slot[i.n], a_generation[i.n], i.n desc
    ) u
    where x.tenant_id = p_tenant[u.n] and x.slot_key = a_slot[u.n] and x.generation = a_generation[u.n]
      and x.status not in ('PENDING', 'EXPIRED');
  end if;

  if exists (select 1 from unnest(n_slot) a where a is not null) then
    -- All that a generation has seen at once: an update takes one row for each target.
    update proviso.idempotency_keys x set provider_call_ids = x.provider_call_ids || array(
      select i.id from unnest(u.ids) with ordinality i (id, place) where not i.id = any (x.provider_call_ids)
      order by i.place limit p_max_seen - cardinality(x.provider_call_ids)
    )
    from (
      select i.t, i.s, i.g, array_agg(i.id order by i.place) as ids from (
        select p_tenant[o.n] as t, n_slot[o.n] as s, n_generation[o.n] as g, n_provider[o.n] as id, min(o.n) as place
        from generate_series(1, n) o (n) where n_slot[o.n] is not null group by 1, 2, 3, 4
      ) i group by 1, 2, 3
    ) u
    where x.tenant_id = u.t and x.slot_key = u.s and x.generation = u.g
      and not u.ids <@ x.provider_call_ids and cardinality(x.provider_call_ids) < p_max_seen;
  end if;

  -- An attempt that came to its end after all answers the question what became of it.
  update proviso.escalations e set resolved_at = now_, resolved_by = 'settle' from generate_series(1, n) u (n)
  where s_slot[u.n] is not null and s_status[u.n] <> 'PENDING' and settlements[u.n] = 'settled' and e.call_id = p_call[u.n]
    and e.tenant = p_tenant[u.n] and e.kind = 'unknown_effect' and e.resolved_at is null;

  if cardinality(e_of) > 0 then
    insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
    select e_id[u.n], p_tenant[e_of[u.n]], p_call[e_of[u.n]], e_kind[u.n], substring(p_bytes from e_at[u.n] for e_length[u.n]), now_
    from generate_series(1, cardinality(e_of)) u (n)
    on conflict do nothing;
  end if;

  insert into proviso.facts (call_id, entry, tenant, pass, writer, number, body)
  select p_call[u.n], p_entry[u.n], p_tenant[u.n], p_pass[u.n], case when p_number[u.n] is not null then p_writer end, p_number[u.n],
    substring(p_bytes from p_body_at[u.n] + p_body_length[u.n] for p_facts_length[u.n])
  from generate_series(1, n) u (n) where p_facts_length[u.n] > 0
  on conflict do nothing;

  return query select u.n, settlements[u.n] from generate_series(1, n) u (n);
end $$;

-- Calls that only read draw on blocks: a quarter of what is left, so that little lies unused in one process while another is refused.
create function proviso.lease_quota(p_tenant text, p_name text, p_max bigint, p_window_ms bigint, p_wanted bigint)
returns table (granted bigint, left_ms float8) language plpgsql as $$
declare
  now_ timestamptz := proviso.clock();
  start timestamptz := case when p_window_ms > 0 then to_timestamp(floor(extract(epoch from now_) * 1000 / p_window_ms) * p_window_ms / 1000) end;
  spent bigint;
begin
  insert into proviso.counters as x (tenant, name, used, window_from) values (p_tenant, p_name, 0, start)
  on conflict (tenant, name) do update set
    used = case when excluded.window_from > x.window_from then 0 else x.used end,
    window_from = greatest(x.window_from, excluded.window_from)
  returning x.used into spent;
  granted := least(greatest(p_wanted, 1), greatest((p_max - spent + 3) / 4, 0));
  if granted > 0 then
    update proviso.counters x set used = x.used + granted where x.tenant = p_tenant and x.name = p_name;
  end if;
  left_ms := case when p_window_ms > 0 then p_window_ms - mod(floor(extract(epoch from now_) * 1000)::bigint, p_window_ms) end;
  return next;
end $$;

-- Run as the reader: what they read is what its row policies let through.
do $$ begin
  execute 'grant create on schema proviso to proviso_reader';
  execute 'grant select on proviso.idempotency_keys to proviso_reader';
  execute 'alter function proviso.look_up(text[], text[], text[], text[]) owner to proviso_reader';
  execute 'revoke create on schema proviso from proviso_reader';
end $$;

-- Down Migration

drop schema proviso cascade;
