-- What passes leave behind, for a batch: calls, facts, the ends of attempts, and what goes back to the limits. Parameters are laid out as
-- those of the admission.

-- Up Migration

-- Takes what attempts have reserved once more, or gives it back: to the window that it came from, and to no later one.
create function proviso.recount(p_tenants text[], p_reserved text[], p_at timestamptz[], p_signs integer[]) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
begin
  update proviso.counters x set used = greatest(0, x.used + b.change) from (
    select e.tenant, e.name, case when e.ms > 0 then to_timestamp(floor(extract(epoch from e.at) * 1000 / e.ms) * e.ms / 1000) end as window_from,
      sum(e.sign * e.amount)::bigint as change
    from (
      select p_tenants[u.n] as tenant, r.value ->> 0 as name, (r.value ->> 1)::bigint as amount, (r.value ->> 2)::bigint as ms,
        p_at[u.n] as at, p_signs[u.n] as sign
      from generate_series(1, cardinality(p_signs)) u (n) cross join lateral json_array_elements(p_reserved[u.n]::json) r
    ) e group by 1, 2, 3 order by 1, 2, 3
  ) b where x.tenant = b.tenant and x.name = b.name and x.window_from is not distinct from b.window_from;
end $$;

-- What passes leave behind: the call, its facts, what its attempt came to. Only the attempt that is pending can be settled, or one given
-- up as without effect that turns out to have happened. One letter per call comes back: settled, late, a duplicate of an
-- effect, or sent again.
create function proviso.record(
  p_ids uuid[], p_texts text[], p_numbers bigint[], p_bytes bytea, p_locks bigint[], e_ids uuid[], e_kinds text[], e_numbers bigint[],
  p_max_seen integer, p_writer uuid,
  -- Whether any call needs it: giving back, amending, noting seen ids.
  p_returning boolean, p_amending boolean, p_seeing boolean
) returns text language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  -- p_ids: entry and call.
  i_entry constant integer := -1; i_call constant integer := 0;
  -- p_texts
  texts constant integer := 14;
  i_tenant constant integer := 1; i_call_key constant integer := 2; i_tool constant integer := 3; i_run constant integer := 4;
  i_status constant integer := 5; i_effect constant integer := 6; i_s_slot constant integer := 7; i_s_status constant integer := 8;
  i_s_effect constant integer := 9; i_s_error constant integer := 10; i_a_slot constant integer := 11;
  i_n_slot constant integer := 12; i_n_provider constant integer := 13; i_s_nonce constant integer := 14;
  -- p_numbers
  numbers constant integer := 16;
  i_pass constant integer := 1; i_body_at constant integer := 2; i_body_length constant integer := 3; i_facts_length constant integer := 4;
  i_answer_length constant integer := 5; i_s_generation constant integer := 6; i_s_attempt constant integer := 7;
  i_s_held constant integer := 8; i_s_tries constant integer := 9; i_s_code constant integer := 10; i_s_ttl constant integer := 11;
  i_a_generation constant integer := 12; i_n_generation constant integer := 13; i_number constant integer := 14;
  i_s_rebuild constant integer := 15; i_yields constant integer := 16;
  now_ timestamptz := proviso.clock();
  n integer := cardinality(p_ids) / 2;
  settlements text[] := array_fill('s'::text, array[n]);
  repeated boolean[] := array_fill(false, array[n]);
  k proviso.idempotency_keys;
  o_resource text;
  settled boolean;
  answer bytea;
  ended timestamptz;
  revived boolean;
  leaves boolean;
  vouched boolean;
  -- How a group begins that vouches for a record, up to the record's hash, which has its length and the sign at its end; and without it.
  vouching constant bytea := '{"binds":{"call":"'; hash_length constant integer := 65; plain constant bytea := '{"binds":{';
  closing integer[] := '{}';
  -- What attempts have reserved and is counted once more or no longer.
  recounted text[]; recounted_tenants text[]; recounted_at timestamptz[]; recounted_signs integer[];
  o_reserved text; o_admitted_at timestamptz; sign integer;
  c integer;
  t integer;
  m integer;
  at integer;
  v_tenant text; v_slot text; v_status proviso.slot_status; v_effect proviso.slot_effect; v_held boolean; v_tries integer;
  v_code integer; v_error text; v_ttl bigint; v_rebuild boolean; v_generation integer; v_attempt integer; v_call uuid; v_entry uuid;
  v_body bytea; v_facts bytea; v_call_status text; v_call_effect text; v_run text; v_tool text; v_call_key bytea; v_pass integer;
  v_number bigint; v_by uuid; v_length integer; v_nonce uuid; v_brought bytea;
begin
  perform proviso.lock_slots(p_locks);
  -- Records, too, in one order for everybody, before any is written in the order of the batch; and the table of calls before that of facts,
  -- as retention takes them.
  perform 1 from (select p_ids[g * 2 + i_call] as id from generate_series(1, n) g) u join proviso.calls x on x.id = u.id
  order by u.id for update of x;

  for c in 1 .. n loop
    t := (c - 1) * texts;
    m := (c - 1) * numbers;
    v_tenant := p_texts[t + i_tenant];
    v_entry := p_ids[c * 2 + i_entry];
    v_call := p_ids[c * 2 + i_call];
    v_slot := p_texts[t + i_s_slot];
    v_length := p_numbers[m + i_body_length];
    -- Sent again because its answer was lost on the way: all of it is written, and one that left the record as it was came late.
    select substring(f.body for length(vouching)) = vouching into vouched from proviso.facts f where f.call_id = v_call and f.entry = v_entry;
    repeated[c] := found;
    if repeated[c] then
      settlements[c] := case when v_slot is not null and v_length > 0 and not vouched then 'l' else 'r' end;
    elsif v_slot is not null then
      v_status := p_texts[t + i_s_status];
      v_effect := p_texts[t + i_s_effect];
      v_held := p_numbers[m + i_s_held] = 1;
      v_tries := p_numbers[m + i_s_tries];
      v_code := p_numbers[m + i_s_code];
      v_error := p_texts[t + i_s_error];
      v_ttl := p_numbers[m + i_s_ttl];
      v_rebuild := p_numbers[m + i_s_rebuild] = 1;
      v_generation := p_numbers[m + i_s_generation];
      v_attempt := p_numbers[m + i_s_attempt];
      v_nonce := p_texts[t + i_s_nonce];
      at := p_numbers[m + i_body_at] + p_numbers[m + i_body_length] + p_numbers[m + i_facts_length];
      answer := case when p_numbers[m + i_answer_length] > 0 then substring(p_bytes from at for p_numbers[m + i_answer_length]::integer) end;
      ended := case when v_status <> 'PENDING' then now_ end;
      revived := false;
      select substring(x.admitted from x.admitted_call + 1) into v_brought from proviso.idempotency_keys x
      where x.tenant_id = v_tenant and x.slot_key = v_slot and x.generation = v_generation and x.status = 'PENDING';
      update proviso.idempotency_keys x set status = v_status,
        effect = v_effect, held = v_held,
        starts = x.starts + v_tries, response_status = v_code, error_code = v_error,
        response_body = answer, completed_at = ended, rebuild = v_rebuild, expires_at = ended + v_ttl * interval '1 ms',
        -- Not known yet, and nobody starts it any more: from now on it is looked after, at growing intervals.
        lease_until = least(x.lease_until, now_),
        look_after = case when v_held then 'infinity' else now_ + least(60000, 500 * 2 ^ least(x.starts + v_tries, 10)) * interval '1 ms' end,
        -- What the admission has kept is written below.
        admitted = null, admitted_call = null
      where x.tenant_id = v_tenant and x.slot_key = v_slot and x.generation = v_generation
        and x.status = 'PENDING' and x.attempt = v_attempt
        -- That it did nothing is said by each start for itself alone.
        and (v_effect <> 'none' or v_nonce is null or x.nonce = v_nonce)
      returning x.resource, x.reserved, x.admitted_at into o_resource, o_reserved, o_admitted_at;
      settled := found;
      if settled and v_brought is not null then
        -- Its number stands first. Read as JSON, all of it would have to be what Postgres takes for JSON.
        insert into proviso.facts (call_id, entry, tenant, pass, body)
        values (v_call, gen_random_uuid(), v_tenant, substring(encode(substring(v_brought for 20), 'escape') from '^{"pass":(\d+)')::integer,
          v_brought);
      end if;
      -- What had no effect costs nothing.
      sign := case when settled and v_effect = 'none' then -1 else 0 end;
      if not settled and v_effect = 'happened' then
        update proviso.idempotency_keys x set status = v_status,
        effect = v_effect, held = v_held,
        starts = x.starts + v_tries, response_status = v_code, error_code = v_error,
        response_body = answer, completed_at = ended, rebuild = v_rebuild, expires_at = ended + v_ttl * interval '1 ms'
        where x.tenant_id = v_tenant and x.slot_key = v_slot and x.generation = v_generation
          and x.status <> 'PENDING' and x.effect = 'none' and v_attempt <= x.attempt
        returning x.resource, x.reserved, x.admitted_at into o_resource, o_reserved, o_admitted_at;
        revived := found;
        settled := found;
        -- Given back, and spent all the same.
        if revived then sign := 1; end if;
      end if;
      if settled and ended is not null then
        perform 1 from proviso.escalations e where e.call_id = v_call and e.resolved_at is null;
        if found then closing := closing || c; end if;
      end if;
      if not settled then
        settlements[c] := 'l';
        if v_effect = 'happened' then
          select x.reserved, x.admitted_at into o_reserved, o_admitted_at from proviso.idempotency_keys x
          where x.tenant_id = v_tenant and x.slot_key = v_slot
            and x.generation = v_generation and x.attempt <> v_attempt and x.effect <> 'none';
          if found then
            settlements[c] := 'd';
            -- Spent twice.
            sign := 1;
          end if;
        end if;
      elsif v_effect = 'happened' then
        -- Earlier operations of the run on the same resource no longer describe it, so they may be asked for again.
        if o_resource is not null then
          update proviso.idempotency_keys x set overtaken = true
          from proviso.idempotency_keys me
          join proviso.slot_resources o on o.tenant = me.tenant_id and o.run = me.run and o.resource = me.resource and o.slot_key <> me.slot_key
          where me.tenant_id = v_tenant and me.slot_key = v_slot and me.generation = v_generation
            and x.tenant_id = o.tenant and x.slot_key = o.slot_key and x.generation = o.generation
            and x.run = o.run and x.resource = o.resource and x.status = 'COMPLETED' and not x.overtaken;
        end if;
        -- Given up, started over as a new generation, and happened after all.
        if revived and exists (
          select 1 from proviso.idempotency_keys x where x.tenant_id = v_tenant and x.slot_key = v_slot
            and x.generation > v_generation and x.effect <> 'none'
        ) then
          settlements[c] := 'd';
        end if;
      end if;
      if sign <> 0 and o_reserved is not null then
        recounted := recounted || o_reserved;
        recounted_tenants := recounted_tenants || v_tenant;
        recounted_at := recounted_at || o_admitted_at;
        recounted_signs := recounted_signs || sign;
      end if;
    end if;
    v_body := substring(p_bytes from p_numbers[m + i_body_at]::integer for v_length);
    v_call_status := p_texts[t + i_status];
    v_call_effect := p_texts[t + i_effect];
    v_pass := p_numbers[m + i_pass];
    v_facts := substring(p_bytes from (p_numbers[m + i_body_at] + v_length)::integer for p_numbers[m + i_facts_length]::integer);
    -- What is known of the call stays as it is: where this is sent again, where a pass only looked on, and where another has written a record
    -- of its number or a later one, if it was never admitted, or comes late and does not say that it happened.
    leaves := repeated[c] or v_length = 0;
    if not leaves and (p_numbers[m + i_yields] = 1 or settlements[c] = 'l' and v_effect <> 'happened') then
      leaves := exists (
        select 1 from proviso.facts f
        where f.call_id = v_call and f.pass >= v_pass and substring(f.body for length(vouching)) = vouching
      );
      -- Its facts would vouch for a record that is not written.
      if leaves then v_facts := plain || ltrim(substring(v_facts from length(vouching) + hash_length + 1), ','); end if;
    end if;
    if not leaves then
      v_run := p_texts[t + i_run];
      v_tool := p_texts[t + i_tool];
      insert into proviso.calls (id, tenant, run, tool, status, effect, body)
      values (v_call, v_tenant, v_run, v_tool, v_call_status, v_call_effect, v_body)
      on conflict (id) do update set status = excluded.status, effect = excluded.effect, body = excluded.body;
      if p_texts[t + i_call_key] is not null then
        v_call_key := decode(p_texts[t + i_call_key], 'hex');
        insert into proviso.call_keys as x (key, tenant, call_id) values (v_call_key, v_tenant, v_call)
        on conflict on constraint call_keys_pkey do update set call_id = excluded.call_id where x.call_id <> excluded.call_id;
      end if;
    end if;
    if not repeated[c] then
      v_number := p_numbers[m + i_number];
      v_by := case when v_number is not null then p_writer end;
      insert into proviso.facts (call_id, entry, tenant, pass, writer, number, body)
      values (v_call, v_entry, v_tenant, v_pass, v_by, v_number, v_facts)
      on conflict do nothing;
      -- Its first sending was under way until now: sent once more, it is known.
      if not found then raise exception 'The entry is being written.' using errcode = '40001'; end if;
    end if;
  end loop;

  -- The approval of what had no effect may be used again where it may be tried again.
  if p_returning then
    update proviso.approvals a set used_by = null, used_nonce = null
    from generate_series(1, n) u (n) cross join lateral (select (u.n - 1) * texts as t) o
    where p_texts[o.t + i_s_effect] = 'none' and p_texts[o.t + i_s_status] = 'FAILED_RETRYABLE' and settlements[u.n] = 's' and not repeated[u.n]
      and a.tenant = p_texts[o.t + i_tenant] and a.used_by = p_ids[u.n * 2 + i_call];
  end if;

  if recounted is not null then
    perform proviso.recount(recounted_tenants, recounted, recounted_at, recounted_signs);
  end if;

  if p_amending then
    update proviso.idempotency_keys x set response_body = substring(p_bytes
      from (p_numbers[u.m + i_body_at] + p_numbers[u.m + i_body_length] + p_numbers[u.m + i_facts_length])::integer
      for p_numbers[u.m + i_answer_length]::integer)
    from (
      select distinct on (p_texts[o.t + i_tenant], p_texts[o.t + i_a_slot], p_numbers[o.m + i_a_generation]) o.t, o.m
      from generate_series(1, n) i (n) cross join lateral (select (i.n - 1) * texts as t, (i.n - 1) * numbers as m) o
      where p_texts[o.t + i_a_slot] is not null and not repeated[i.n]
      order by p_texts[o.t + i_tenant], p_texts[o.t + i_a_slot], p_numbers[o.m + i_a_generation], i.n desc
    ) u
    where x.tenant_id = p_texts[u.t + i_tenant] and x.slot_key = p_texts[u.t + i_a_slot] and x.generation = p_numbers[u.m + i_a_generation]
      and x.status not in ('PENDING', 'EXPIRED');
  end if;

  if p_seeing then
    -- All that a generation has seen at once: an update takes one row for each target.
    update proviso.idempotency_keys x set provider_call_ids = x.provider_call_ids || array(
      select i.id from unnest(u.ids) with ordinality i (id, place) where not i.id = any (x.provider_call_ids)
      order by i.place limit p_max_seen - cardinality(x.provider_call_ids)
    )
    from (
      select i.t, i.s, i.g, array_agg(i.id order by i.place) as ids from (
        select p_texts[o.t + i_tenant] as t, p_texts[o.t + i_n_slot] as s, p_numbers[o.m + i_n_generation] as g,
          p_texts[o.t + i_n_provider] as id, min(a.n) as place
        from generate_series(1, n) a (n) cross join lateral (select (a.n - 1) * texts as t, (a.n - 1) * numbers as m) o
        where p_texts[o.t + i_n_slot] is not null group by 1, 2, 3, 4
      ) i group by 1, 2, 3
    ) u
    where x.tenant_id = u.t and x.slot_key = u.s and x.generation = u.g
      and not u.ids <@ x.provider_call_ids and cardinality(x.provider_call_ids) < p_max_seen;
  end if;

  -- An attempt that came to its end after all answers the question what became of it.
  if cardinality(closing) > 0 then
    update proviso.escalations e set resolved_at = now_, resolved_by = 'settle' from unnest(closing) u (n)
    where e.call_id = p_ids[u.n * 2 + i_call] and e.tenant = p_texts[(u.n - 1) * texts + i_tenant] and e.kind = 'unknown_effect'
      and e.resolved_at is null;
  end if;

  -- Two attempts that happened: raised in the same commit, or a crash would lose it.
  if 'd' = any (settlements) then
    insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
    select p_ids[u.n * 2 + i_entry], p_texts[o.t + i_tenant], p_ids[u.n * 2 + i_call], 'duplicate_side_effect', convert_to(json_build_object(
      'id', p_ids[u.n * 2 + i_entry], 'tenant', p_texts[o.t + i_tenant], 'callId', p_ids[u.n * 2 + i_call], 'kind', 'duplicate_side_effect',
      'message', 'Attempt ' || p_numbers[o.m + i_s_attempt]
        || ' happened after another attempt had taken its place: the effect may be there twice.',
      'at', proviso.epoch_ms(now_)::bigint)::text, 'UTF8'), now_
    from generate_series(1, n) u (n) cross join lateral (select (u.n - 1) * texts as t, (u.n - 1) * numbers as m) o
    where settlements[u.n] = 'd'
    on conflict do nothing;
  end if;

  if e_ids is not null then
    insert into proviso.escalations (id, tenant, call_id, kind, body, opened_at)
    select e_ids[u.n], p_texts[(e_numbers[u.n * 3 - 2] - 1) * texts + i_tenant], p_ids[e_numbers[u.n * 3 - 2] * 2 + i_call], e_kinds[u.n],
      substring(p_bytes from e_numbers[u.n * 3 - 1]::integer for e_numbers[u.n * 3]::integer), now_
    from generate_series(1, cardinality(e_ids)) u (n)
    -- Whoever comes late to say that nobody knows what became of an attempt is told: somebody does.
    where not (e_kinds[u.n] = 'unknown_effect' and settlements[e_numbers[u.n * 3 - 2]] = 'l') and not repeated[e_numbers[u.n * 3 - 2]]
    on conflict do nothing;
  end if;

  return array_to_string(settlements, '');
end $$;

-- Down Migration

drop schema proviso cascade;
