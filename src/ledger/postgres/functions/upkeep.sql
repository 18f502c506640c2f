-- What a ledger needs now and then: partitions ahead of time, and the retirement of what is old.

-- Weekly partitions from now on. Where rows of a week already lie in the default partition, that week stays there: moving them would
-- stop all calls meanwhile, and retention takes rows from the default partition as well. Returns how many were made.
create function proviso.ensure_partitions_v1(weeks_ahead integer) returns integer language plpgsql
-- Rather later than a queue of calls behind a long query of another one.
set lock_timeout = '2s'
as $$
declare
  parent text;
  week timestamptz;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(/* lock_partitions */);
  foreach parent in array array['calls', 'facts'] loop
    for w in 0 .. weeks_ahead loop
      week := proviso.week_of(proviso.clock()) + w * interval '7 days';
      continue when to_regclass('proviso.' || proviso.partition_name(parent, week)) is not null;
      begin
        execute format('create table proviso.%I partition of proviso.%I for values from (%L) to (%L)',
          proviso.partition_name(parent, week), parent, proviso.uuid_at(week), proviso.uuid_at(week + interval '7 days'));
        made := made + 1;
      exception when check_violation then null;
      end;
    end loop;
  end loop;
  return made;
end $$;

-- Calls before the cut about which something is still to be found out or decided.
create function proviso.open_calls_v1(cut uuid) returns setof uuid language sql stable as $$
  select call_id from proviso.idempotency_keys where completed_at is null and status = 'PENDING' and call_id < cut
  union
  select call_id from proviso.escalations where resolved_at is null and call_id < cut
  union
  select a.call_id from proviso.approvals a
  where proviso.status_of_approval_v1(a, proviso.clock()) not in ('rejected', 'used', 'expired') and a.expires_at > proviso.clock()
    and a.call_id < cut
$$;

-- Drops calls and facts before the cut, but for the calls that are kept. The caller has counted what goes, and says by `since`
-- up to where it has: false, and nothing is to be committed, where something was written after that.
create function proviso.drop_before_v1(cut uuid, kept uuid[], since xid8) returns boolean language plpgsql
set lock_timeout = '5s'
as $$
declare
  parent text;
  part text;
begin
  perform set_config('proviso.writes', 'on', true);
  -- What facts say of rows that stay is said once more, where the last of these facts goes now.
  insert into proviso.facts (call_id, entry, tenant, pass, body, binds_slot, binds_answer, binds_row, binds_state, binds_attempt)
  select proviso.row_call_v1(), gen_random_uuid(), l.tenant, 0, case when l.binds_row is null then '{"pass":0,"at":0,"facts":[]}' else l.body end,
    l.binds_slot, l.answer, l.binds_row, l.binds_state, l.binds_attempt
  from (
    (select distinct on (f.tenant, f.binds_slot) f.call_id, f.tenant, null::bytea as body, f.binds_slot, coalesce(f.binds_amended, f.binds_answer) as answer,
      null::bytea as binds_row, f.binds_state, f.binds_attempt
    from proviso.facts f where f.binds_state is not null order by f.tenant, f.binds_slot, f.ticket desc)
    union all
    (select distinct on (f.tenant, substring(f.binds_row for 32)) f.call_id, f.tenant, f.body, null, null, f.binds_row, null, null
    from proviso.facts f where f.binds_row is not null and f.pass = 0 order by f.tenant, substring(f.binds_row for 32), f.ticket desc)
  ) l
  where l.call_id < cut and not (l.call_id = any (kept)) and (l.binds_row is null or length(l.binds_row) > 32);

  foreach parent in array array['calls', 'facts'] loop
    execute format('delete from proviso.%1$I where %2$I < $1 and not (%2$I = any ($2))', parent || '_other',
      case parent when 'calls' then 'id' else 'call_id' end) using cut, kept;
  end loop;
  delete from proviso.call_keys where call_id < cut and not (call_id = any (kept));
  delete from proviso.results where call_id < cut and not (call_id = any (kept));

  -- From here on calls are neither written nor read; dropping files takes milliseconds.
  lock table proviso.calls, proviso.facts in access exclusive mode;
  if exists (select 1 from proviso.facts where xid >= since and call_id < cut) then return false; end if;
  foreach parent in array array['calls', 'facts'] loop
    for part in
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ('proviso.' || parent)::regclass and c.relname ~ ('^' || parent || '_w[0-9]{8}$')
        and proviso.uuid_at(to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' + interval '7 days') <= cut
      order by c.relname
    loop
      execute format('alter table proviso.%I detach partition proviso.%I', parent, part);
      -- Without their partition, they go where everything goes that has none.
      execute format('insert into proviso.%I select * from proviso.%I where %I = any ($1)', parent, part,
        case parent when 'calls' then 'id' else 'call_id' end) using kept;
      execute format('drop table proviso.%I', part);
    end loop;
  end loop;
  return true;
end $$;
