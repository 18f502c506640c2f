-- A family of runs carries its labels together, on the row of one of them: its holder. Every other run of it points to a run that is nearer
-- to the holder. What joins a family points to the holder itself, and of two families the lower one is hung below the higher one. So the
-- way is a step or two, and at most the logarithm of the number of runs; no row of a family changes because another run joins it.

-- Makes one family of two. Rows are locked in one order. A run without children joins a family that has more than one member by a change of
-- its own row alone, so runs that join at once do not wait for each other.
create function proviso.join_families_v1(p_tenant text, p_run text, p_parent text, p_labels text[]) returns void language plpgsql as $$
declare
  v_own text;
  v_other text;
  v_lower proviso.runs;
  v_higher proviso.runs;
begin
  loop
    v_own := proviso.holder_of_v1(p_tenant, p_run);
    v_other := proviso.holder_of_v1(p_tenant, p_parent);
    if v_own = v_other then return; end if;
    select * into v_higher from proviso.runs r where r.tenant = p_tenant and r.run = v_other;
    -- Heights and labels only grow, so what is true of a row that is not locked stays true.
    update proviso.runs r set family = v_other
    where r.tenant = p_tenant and r.run = v_own and r.family is null and r.height < v_higher.height and r.labels || p_labels <@ v_higher.labels
    returning r.* into v_lower;
    exit when found;
    perform from proviso.runs r where r.tenant = p_tenant and r.run in (v_own, v_other) order by r.run for update;
    select * into v_lower from proviso.runs r
    where r.tenant = p_tenant and r.run in (v_own, v_other) order by r.height, r.run = v_other limit 1;
    select * into v_higher from proviso.runs r
    where r.tenant = p_tenant and r.run in (v_own, v_other) and r.run <> v_lower.run;
    -- One of them has come into another family meanwhile.
    continue when v_lower.family is not null or v_higher.family is not null;
    update proviso.runs r set family = v_higher.run where r.tenant = p_tenant and r.run = v_lower.run;
    update proviso.runs r set
      height = greatest(v_higher.height, v_lower.height + 1),
      labels = array(select distinct l from unnest(v_higher.labels || v_lower.labels || p_labels) l order by l)
    where r.tenant = p_tenant and r.run = v_higher.run
    returning r.* into v_higher;
    if v_higher.labels <> '{}' then
      insert into proviso.call_keys (key, tenant) values (v_higher.key, p_tenant) on conflict do nothing;
    end if;
    exit;
  end loop;
  -- Where only this run is known, its labels are asked for: they are on another row.
  insert into proviso.call_keys (key, tenant) values (v_lower.key, p_tenant) on conflict do nothing;
end $$;

-- Adds to what a run carries, after it has joined the family of its parent where one is named. `o_holder`: under its key it is found out
-- whether the run carries labels.
create function proviso.label_run_v1(
  p_tenant text, p_run text, p_key bytea, p_labels text[], p_parent text, p_parent_key bytea, out o_labels text[], out o_holder text
) language plpgsql as $$
declare
  v_row proviso.runs;
begin
  perform set_config('proviso.writes', 'on', true);
  if p_parent is not null then
    insert into proviso.runs (tenant, run, key)
    select p_tenant, n.run, n.key from (values (p_run, p_key), (p_parent, p_parent_key)) n (run, key) order by n.run
    on conflict do nothing;
    perform proviso.join_families_v1(p_tenant, p_run, p_parent, p_labels);
  end if;
  o_holder := p_run;
  loop
    -- Looked at first: a row that is to be changed is locked, also where nothing of it changes then.
    select * into v_row from proviso.runs r where r.tenant = p_tenant and r.run = o_holder;
    if v_row.family is not null then
      o_holder := proviso.holder_of_v1(p_tenant, v_row.family);
      continue;
    end if;
    exit when found and p_labels <@ v_row.labels;
    insert into proviso.runs as r (tenant, run, key, labels) values (p_tenant, o_holder, p_key, p_labels)
    on conflict (tenant, run) do update set labels = array(select distinct l from unnest(r.labels || excluded.labels) l order by l)
    where r.family is null
    returning r.* into v_row;
    -- Not found: it has come into another family meanwhile.
    if found then
      if v_row.labels <> '{}' then
        insert into proviso.call_keys (key, tenant) values (v_row.key, p_tenant) on conflict do nothing;
      end if;
      exit;
    end if;
  end loop;
  o_labels := v_row.labels;
end $$;
