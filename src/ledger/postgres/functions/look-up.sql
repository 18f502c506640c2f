-- The run that holds what a run carries: itself, or another one of its family, to which the rows point (runs.sql).
create function proviso.holder_of_v1(p_tenant text, p_run text) returns text language plpgsql as $$
declare
  v_run text := p_run;
  v_next text;
begin
  -- 2^64 runs have no longer way; a longer one is an edited row, which leads in a circle.
  for step in 0 .. 64 loop
    select r.family into v_next from proviso.runs r where r.tenant = p_tenant and r.run = v_run;
    if v_next is null then return v_run; end if;
    v_run := v_next;
  end loop;
  raise exception 'the family of a run leads in a circle';
end $$;

-- What is read before the gates, in the order of the calls; a call of which nothing is known has no row. The first row says when. It runs
-- as the reader's role, one tenant at a time.
create function proviso.look_up_v1(/* asked parameters */)
returns table (o_place integer, o_body bytea, o_slot text, o_labels text[], o_contradicted boolean) language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  a record;
  found_slot record;
  k proviso.idempotency_keys;
  known_call uuid;
begin
  o_place := 0;
  o_slot := proviso.epoch_ms(proviso.clock())::text;
  return next;
  for a in select * from /* asked rows */ r loop
    perform set_config('proviso.tenant', a.tenant, true);
    o_place := a.n; o_body := null; o_slot := null; o_labels := null; o_contradicted := false; known_call := null;
    if a.call_key is not null then
      select x.call_id into known_call from proviso.call_keys x where x.key = a.call_key;
      if known_call is not null then
        select c.body into o_body from proviso.calls c where c.id = known_call;
      end if;
    end if;
    if a.slot is not null then
      select * into found_slot from proviso.known_slot_v1(a.tenant, a.slot, a.provider);
      o_contradicted := found_slot.o_contradicted;
      k := found_slot.o_slot;
      if k.tenant_id is not null then
        o_slot := proviso.slot_json_v1(k);
        -- The call that has the slot is found by it, and as it stands there while it runs.
        if k.call_id = known_call or (known_call is null and k.call_key = a.call_key) then
          if k.admitted_call is not null then
            o_body := k.admitted_call;
          elsif known_call is null then
            select c.body into o_body from proviso.calls c where c.id = k.call_id;
          end if;
        end if;
      end if;
    end if;
    if o_body is null and known_call is not null then
      -- It runs for the first time, on a slot that was not asked for.
      select x.admitted_call into o_body from proviso.idempotency_keys x
      where x.completed_at is null and x.status = 'PENDING' and x.admitted_call is not null and x.call_id = known_call limit 1;
    end if;
    if a.run is not null then
      select r.labels into o_labels from proviso.runs r
      where r.tenant = a.tenant and r.run = proviso.holder_of_v1(a.tenant, a.run);
    end if;
    if o_body is not null or o_slot is not null or o_labels is not null or o_contradicted then return next; end if;
  end loop;
  perform set_config('proviso.tenant', '', true);
end $$;
