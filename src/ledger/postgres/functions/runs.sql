-- Adds to what a run carries. Families are few, so those of a tenant change one after another. `o_again`: the run has come into a family
-- meanwhile, whose other members have not been told.
create function proviso.label_run_v1(
  p_tenant text, p_run text, p_key bytea, p_labels text[], p_parent text, p_parent_key bytea, out o_labels text[], out o_again boolean
) language plpgsql as $$
declare
  v_family text;
  v_other text;
begin
  o_again := false;
  select r.family into v_family from proviso.runs r where r.tenant = p_tenant and r.run = p_run;
  if p_parent is null and v_family is null then
    insert into proviso.runs as r (tenant, run, key, labels) values (p_tenant, p_run, p_key, p_labels)
    on conflict (tenant, run) do update set labels = array(select distinct l from unnest(r.labels || excluded.labels) l order by l)
    returning r.labels, r.family is not null into o_labels, o_again;
    if o_labels <> '{}' then
      insert into proviso.call_keys (key, tenant) values (p_key, p_tenant) on conflict do nothing;
    end if;
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('proviso.family ' || p_tenant, 0));
  if p_parent is not null then
    insert into proviso.runs (tenant, run, key) values (p_tenant, p_run, p_key), (p_tenant, p_parent, p_parent_key) on conflict do nothing;
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
    update proviso.runs r set labels = o_labels where r.tenant = p_tenant and r.family = v_family and r.labels <> o_labels returning r.key
  )
  insert into proviso.call_keys (key, tenant) select l.key, p_tenant from labelled l on conflict do nothing;
end $$;
