-- The transparency log: what the sequencer makes of committed facts, one tree per tenant. Nothing here is touched by a call. Leaves stay
-- for ever; facts go with their salts when their week is retired, and then a leaf tells nothing of what it was made of.

-- Up Migration

create table proviso.log_leaves (
  tenant text not null,
  index bigint not null,
  hash bytea not null,
  kind text not null check (kind in ('facts', 'retirement')),
  -- Of a group of facts: which row it was made of, its place in its call, and what ties the two together.
  call_id uuid,
  entry uuid,
  pass integer,
  group_number integer,
  commitment bytea,
  -- Leaf hash of the group of this call, or of the retirement, before it.
  previous bytea not null,
  -- The hashes of the subtrees that this leaf completed, level 1 first, 32 bytes each. Node (level, index) is with the last leaf below
  -- it, (index + 1) * 2^level - 1: a row of its own per node would double the rows of the log.
  nodes bytea not null,
  primary key (tenant, index)
);
create index log_leaves_by_call on proviso.log_leaves (call_id, group_number) where kind = 'facts';

create table proviso.log_heads (
  tenant text primary key,
  size bigint not null,
  -- The hashes of the complete subtrees, largest first: all that is needed to append and to sign.
  frontier bytea not null
);

create table proviso.log_checkpoints (
  number bigint generated always as identity primary key,
  tenant text not null,
  size bigint not null,
  text text not null,
  at timestamptz not null,
  unique (tenant, size)
);

create table proviso.log_retirements (
  tenant text not null,
  number integer not null,
  index bigint not null,
  from_id text not null,
  to_id text not null,
  leaves bigint not null,
  reason text not null,
  at_ms bigint not null,
  previous bytea not null,
  primary key (tenant, number)
);

-- The sequencer reads in this order; the groups of one large transaction are many.
create index facts_in_order on proviso.facts (xid, ticket);
drop index proviso.facts_by_xid;

-- Up to where committed groups are in the log. One row.
create table proviso.log_cursor (
  one boolean primary key default true check (one),
  xid xid8 not null,
  ticket bigint not null,
  at timestamptz not null
);
insert into proviso.log_cursor (xid, ticket, at) values ('0', 0, proviso.clock());

do $$
declare
  name text;
begin
  foreach name in array array['log_leaves', 'log_heads', 'log_checkpoints', 'log_retirements'] loop
    execute format('alter table proviso.%I enable row level security', name);
    execute format('alter table proviso.%I force row level security', name);
    execute format('create policy reader on proviso.%I for select to proviso_reader using (tenant = current_setting(''proviso.tenant'', true))',
      name);
    execute format('create policy owner on proviso.%I to current_user using (true) with check (true)', name);
    execute format('grant select on proviso.%I to proviso_reader', name);
  end loop;
end $$;

-- The smallest UUIDv7 of a moment.
create function proviso.uuid_at(at timestamptz) returns uuid language sql immutable strict as $$
  -- A moment that no UUIDv7 can name is the first or the last that one can.
  select (lpad(to_hex(least(greatest(floor(extract(epoch from at) * 1000), 0), 281474976710655)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

create function proviso.week_of(at timestamptz) returns timestamptz language sql immutable strict as $$
  select date_trunc('week', at at time zone 'UTC') at time zone 'UTC'
$$;

create function proviso.partition_name(parent text, week timestamptz) returns text language sql immutable strict as $$
  select parent || '_w' || to_char(week at time zone 'UTC', 'YYYYMMDD')
$$;

-- Weekly partitions from now on. Where rows of a week already lie in the default partition, that week stays there: moving them would
-- stop all calls meanwhile, and retention takes rows from the default partition as well. Returns how many were made.
create function proviso.ensure_partitions(weeks_ahead integer) returns integer language plpgsql
-- Rather later than a queue of calls behind somebody's long query.
set lock_timeout = '2s'
as $$
declare
  parent text;
  week timestamptz;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(7466920142);
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
create function proviso.open_calls(cut uuid) returns setof uuid language sql stable as $$
  select call_id from proviso.idempotency_keys where completed_at is null and status = 'PENDING' and call_id < cut
  union
  select call_id from proviso.escalations where resolved_at is null and call_id < cut
  union
  select call_id from proviso.approvals
  where verdict <> 'rejected' and used_by is null and expires_at > proviso.clock() and call_id < cut
$$;

-- Drops calls and facts before the cut, but for the calls that are kept. The caller has counted what goes, and says by `since`
-- up to where it has: false, and nothing is to be committed, where something was written after that.
create function proviso.drop_before(cut uuid, kept uuid[], since xid8) returns boolean language plpgsql
set lock_timeout = '5s'
as $$
declare
  parent text;
  part text;
begin
  foreach parent in array array['calls', 'facts'] loop
    execute format('delete from proviso.%1$I where %2$I < $1 and not (%2$I = any ($2))', parent || '_other',
      case parent when 'calls' then 'id' else 'call_id' end) using cut, kept;
  end loop;
  delete from proviso.call_keys where call_id < cut and not (call_id = any (kept));
  delete from proviso.results where call_id < cut and not (call_id = any (kept));

  -- From here on nobody writes or reads calls; dropping files takes milliseconds.
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

select proviso.ensure_partitions(3);

-- Down Migration

drop schema proviso cascade;
