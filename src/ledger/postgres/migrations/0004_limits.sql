-- Limits and runs: blocks of a quota, raises, labels. And who may call which function.

-- Up Migration

-- Calls that only read draw on blocks: a quarter of what is left, so that little lies unused in one process while another is refused.
create function proviso.lease_quota(p_tenant text, p_name text, p_max bigint, p_window_ms bigint, p_wanted bigint)
returns table (granted bigint, left_ms float8, o_used bigint, o_max bigint) language plpgsql as $$
declare
  now_ timestamptz := proviso.clock();
  start timestamptz := case when p_window_ms > 0 then to_timestamp(floor(extract(epoch from now_) * 1000 / p_window_ms) * p_window_ms / 1000) end;
  v_raised bigint;
begin
  insert into proviso.counters as x (tenant, name, used, window_from) values (p_tenant, p_name, 0, start)
  on conflict (tenant, name) do update set
    used = case when excluded.window_from > x.window_from then 0 else x.used end,
    raised = case when excluded.window_from > x.window_from then 0 else x.raised end,
    window_from = greatest(x.window_from, excluded.window_from)
  returning x.used, x.raised into o_used, v_raised;
  o_max := p_max + v_raised;
  granted := least(greatest(p_wanted, 1), greatest((o_max - o_used + 3) / 4, 0));
  if granted > 0 then
    update proviso.counters x set used = x.used + granted where x.tenant = p_tenant and x.name = p_name;
  end if;
  left_ms := case when p_window_ms > 0 then p_window_ms - mod(floor(extract(epoch from now_) * 1000)::bigint, p_window_ms) end;
  return next;
end $$;

-- More of a limit, for its present window. The same raise sent again changes nothing.
create function proviso.raise_limit(
  p_tenant text, p_id text, p_name text, p_window_ms bigint, p_amount bigint, p_by text, p_why text
) returns void language plpgsql as $$
declare
  now_ timestamptz := proviso.clock();
  start timestamptz := case when p_window_ms > 0 then to_timestamp(floor(extract(epoch from now_) * 1000 / p_window_ms) * p_window_ms / 1000) end;
begin
  insert into proviso.raises (tenant, id, name, window_from, amount, raised_by, why, at)
  values (p_tenant, p_id, p_name, start, p_amount, p_by, p_why, now_) on conflict do nothing;
  if not found then return; end if;
  insert into proviso.counters as x (tenant, name, used, raised, window_from) values (p_tenant, p_name, 0, p_amount, start)
  on conflict (tenant, name) do update set
    used = case when excluded.window_from > x.window_from then 0 else x.used end,
    raised = case when excluded.window_from > x.window_from then excluded.raised else x.raised + excluded.raised end,
    window_from = greatest(x.window_from, excluded.window_from);
end $$;

-- Under which a run that carries labels stands in call_keys; as runKey of call-row.ts has it.
create function proviso.run_key(p_tenant text, p_run text) returns bytea language sql immutable strict parallel safe as $$
  select sha256(convert_to('proviso.run-key.v1 ' || octet_length(convert_to(p_tenant, 'UTF8')) || ':' || p_tenant || p_run, 'UTF8'))
$$;

-- Adds to what a run carries. Families are few, so those of a tenant change one after another. `o_again`: the run has come into a family
-- meanwhile, whose other members have not been told.
create function proviso.label_run(
  p_tenant text, p_run text, p_labels text[], p_parent text, out o_labels text[], out o_again boolean
) language plpgsql as $$
declare
  v_family text;
  v_other text;
begin
  o_again := false;
  select r.family into v_family from proviso.runs r where r.tenant = p_tenant and r.run = p_run;
  if p_parent is null and v_family is null then
    insert into proviso.runs as r (tenant, run, labels) values (p_tenant, p_run, p_labels)
    on conflict (tenant, run) do update set labels = array(select distinct l from unnest(r.labels || excluded.labels) l order by l)
    returning r.labels, r.family is not null into o_labels, o_again;
    if o_labels <> '{}' then
      insert into proviso.call_keys (key, tenant) values (proviso.run_key(p_tenant, p_run), p_tenant) on conflict do nothing;
    end if;
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('proviso.family ' || p_tenant, 0));
  if p_parent is not null then
    insert into proviso.runs (tenant, run) values (p_tenant, p_run), (p_tenant, p_parent) on conflict do nothing;
    select r.family into v_other from proviso.runs r where r.tenant = p_tenant and r.run = p_parent;
  end if;
  select r.family into v_family from proviso.runs r where r.tenant = p_tenant and r.run = p_run;
  if p_parent is not null then
    update proviso.runs r set family = coalesce(v_other, v_family, p_parent)
    where r.tenant = p_tenant and (r.run in (p_run, p_parent) or r.family in (v_family, v_other));
    v_family := coalesce(v_other, v_family, p_parent);
  end if;
  o_labels := array(
    select distinct l from proviso.runs r, unnest(r.labels || p_labels) l where r.tenant = p_tenant and r.family = v_family order by l);
  with labelled as (
    update proviso.runs r set labels = o_labels where r.tenant = p_tenant and r.family = v_family and r.labels <> o_labels returning r.run
  )
  insert into proviso.call_keys (key, tenant) select proviso.run_key(p_tenant, l.run), p_tenant from labelled l on conflict do nothing;
end $$;

-- Nobody but who is named below calls them.
revoke execute on all functions in schema proviso from public;
grant execute on function proviso.clock(), proviso.epoch_ms(timestamptz), proviso.slot_of(proviso.idempotency_keys),
  proviso.newest_slot(text, text, text) to proviso_reader;

-- Run as the reader: what they read is what its row policies let through.
do $$ begin
  execute 'grant create on schema proviso to proviso_reader';
  execute 'grant select on proviso.idempotency_keys to proviso_reader';
  execute 'alter function proviso.look_up(text[]) owner to proviso_reader';
  execute 'grant execute on function proviso.look_up(text[]) to current_user';
  execute 'revoke create on schema proviso from proviso_reader';
end $$;

-- Down Migration

drop schema proviso cascade;
