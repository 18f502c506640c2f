-- Where calls, facts, slots, approvals, budgets and escalations live. Payloads are canonical bytes, never jsonb: all that a model wrote
-- fits, and one call's bytes cannot fail the batch of another.

do $$ begin
  create role proviso_reader nologin;
exception when duplicate_object or unique_violation then null;
end $$;
grant proviso_reader to current_user;
grant usage on schema proviso to proviso_reader;

-- The database's own clock; tests let time pass by a setting of their connection. Plans take it in as an expression: no function is called.
create function proviso.clock() returns timestamptz language sql volatile as $$
  select clock_timestamp() + coalesce(nullif(current_setting('proviso.clock_offset_ms', true), ''), '0')::float8 * interval '1 ms'
$$;

create function proviso.epoch_ms(at timestamptz) returns float8 language sql immutable strict parallel safe as $$
  select trunc(extract(epoch from at) * 1000)::float8
$$;

-- For which attempt a transaction of a tool was begun; a row lives in its own transaction alone, and no tool can write one.
create unlogged table proviso.tool_transactions (
  xact xid8 primary key,
  tenant text not null,
  nonce uuid not null
);

-- What a reading of a tool begins its transaction with.
create unlogged table proviso.tool_tickets (
  nonce uuid primary key,
  tenant text not null,
  until timestamptz not null
);

-- The tenant of a tool's transaction, for row policies of its tables: using (tenant = (select proviso.tenant())). Null outside of one.
create function proviso.tenant() returns text language sql stable parallel restricted security definer
set search_path = pg_catalog, pg_temp as $$
  select t.tenant from proviso.tool_transactions t where t.xact = pg_current_xact_id_if_assigned()
$$;

-- Calls and facts are partitioned by the time inside their UUIDv7.
create table proviso.calls (
  id uuid primary key,
  tenant text not null,
  run text,
  tool text not null,
  status text not null,
  effect text not null,
  -- The call as its last pass has left it. One that runs is in its slot.
  body bytea not null
) partition by range (id);
create index calls_by_run on proviso.calls (tenant, run, id);

create table proviso.calls_other partition of proviso.calls default;

-- What stands against taking a call for new, each under a hash of its own kind. A call that is proposed once more is found again by it, where
-- its slot does not tell; a run that carries labels has a row without a call.
create table proviso.call_keys (
  key bytea primary key,
  tenant text not null,
  call_id uuid
);

create sequence proviso.tickets;

-- One row is one group of facts, committed together.
create table proviso.facts (
  call_id uuid not null,
  -- Names the write: issued again after a cut connection, it is the same write.
  entry uuid not null,
  ticket bigint not null default nextval('proviso.tickets'),
  xid xid8 not null default pg_current_xact_id(),
  tenant text not null,
  pass integer not null,
  -- Groups that were written after their answer was given are numbered by the process that wrote them: a gap shows what was lost.
  writer uuid,
  number bigint,
  -- Without it no one can try out what the log's commitment to this row was made of. It goes with the row. 24 bytes, as in admitted.ts: with
  -- the ticket they are the 32 that a commitment takes.
  salt bytea not null default uuid_send(gen_random_uuid()) || substring(uuid_send(gen_random_uuid()) for 8),
  -- The hashes of what was written beside it: the call's record, the slot and its answer, and what the phases after the end made of that.
  binds_call bytea,
  binds_slot bytea,
  binds_answer bytea,
  binds_amended bytea,
  -- As what the row was left: a slot's, with the attempt that it stands on, or that of another table, by the hash of its name.
  binds_row bytea,
  binds_state bytea,
  binds_attempt integer,
  body bytea not null,
  primary key (call_id, entry)
) partition by range (call_id);
-- The sequencer reads what committed below the oldest running transaction, in this order; the groups of one large transaction are many.
create index facts_in_order on proviso.facts (xid, ticket);

create table proviso.facts_other partition of proviso.facts default;

-- Types instead of checks: a check is read anew by every statement.
create type proviso.slot_status as enum ('PENDING', 'COMPLETED', 'FAILED_RETRYABLE', 'FAILED_FINAL', 'COMPENSATED', 'EXPIRED');
create type proviso.slot_effect as enum ('none', 'happened', 'unknown');

-- The specification's table of idempotency keys, with the slot it belongs to, its attempt and its lease. Never partitioned by time: one
-- operation has one row per generation, for as long as it is remembered.
create table proviso.idempotency_keys (
  tenant_id text not null,
  slot_key text not null,
  generation integer not null,
  idempotency_key text not null,
  request_hash bytea not null,
  status proviso.slot_status not null,
  effect proviso.slot_effect not null,
  held boolean not null default false,
  kind text not null,
  operation text not null,
  call_id uuid not null,
  -- By which the call is found again.
  call_key bytea,
  -- The call, its facts and their pass, as they stood at the admission; kept until the end of the attempt, which writes them to their tables.
  admitted_call bytea,
  admitted_facts bytea,
  admitted_pass integer,
  nonce uuid not null,
  -- The process that has the attempt in hand, by the name of its session; null once it has given the attempt up.
  owner uuid,
  contract_hash text not null,
  attempt integer not null,
  starts integer not null default 0,
  run text not null,
  resource text,
  provider_call_ids text[] not null default '{}',
  overtaken boolean not null default false,
  response_body bytea,
  -- The owner may start the executor until then.
  lease_until timestamptz not null,
  -- From then on others may look what became of the attempt.
  look_after timestamptz not null,
  -- The process that looked last at the newest attempt, whose lease is not renewed any more. It has watched the attempt for the longest, so
  -- others leave it a little more time to look again.
  watcher uuid,
  created_at timestamptz not null,
  admitted_at timestamptz not null,
  -- What the newest attempt has taken from counters, as [[name, amount, window in ms or 0], ...]; null: nothing that is ever given back.
  -- The window that it came from is the one of admitted_at.
  reserved text,
  -- Null as long as it is pending, and only then: what is pending is found by it.
  completed_at timestamptz,
  -- The answer outlives its time.
  rebuild boolean not null default false,
  -- Null: remembered for ever.
  expires_at timestamptz,
  primary key (tenant_id, slot_key, generation)
) with (toast_tuple_target = 8160);
-- The only other index: every index makes every admission dearer. Held ones are at its end, where no claim looks. What is pending
-- has not been completed; it is for those who look for it in these words, or the planner would take it for a slot that is named as well.
create index idempotency_keys_pending_idx on proviso.idempotency_keys (look_after) where completed_at is null;

-- Which slots were ever opened, kept apart from them: one that is gone is not taken for one that never was. Its key is a hash of tenant and
-- slot, short, because every admission writes it.
create table proviso.slot_marks (
  mark bytea primary key,
  tenant text not null,
  -- The newest.
  generation integer not null
);

-- Which operations name a resource; only those have a row.
create table proviso.slot_resources (
  tenant text not null,
  run text not null,
  resource text not null,
  slot_key text not null,
  generation integer not null,
  primary key (tenant, run, resource, slot_key, generation)
);

create table proviso.approvals (
  id text primary key,
  tenant text not null,
  call_id uuid not null,
  -- Who asked: JSON text of user and agent.
  requester text not null,
  run text,
  slot_key text not null,
  generation integer not null,
  payload_hash text not null,
  body bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- For one call, for a set of them, or for a larger budget.
  kind text not null default 'call',
  -- Superseded: another packet of the same operation took its place.
  verdict text not null default 'pending' check (verdict in ('pending', 'approved', 'rejected', 'superseded')),
  -- What was decided, signed; written with the vote that completed the quorum.
  token text,
  -- Other calls that wait for the same decision: JSON texts of call and trace.
  attached text[] not null default '{}',
  -- The decision itself runs the call.
  resume boolean not null default false,
  used_by uuid,
  -- The admission that used it.
  used_nonce uuid,
  unique (tenant, id)
);
create index approvals_by_subject on proviso.approvals (tenant, slot_key, generation, payload_hash, created_at desc);
-- A rejection stands for its run, under every name of the operation.
create index approvals_rejected on proviso.approvals (tenant, payload_hash) where verdict = 'rejected';
create index approvals_used on proviso.approvals (used_by) where used_by is not null;
create index approvals_resumable on proviso.approvals (call_id) where resume and verdict = 'approved' and used_by is null;
-- How many requests of one user and agent are open in a run, or outside of all runs.
create index approvals_waiting on proviso.approvals (tenant, requester, run, expires_at) where verdict = 'pending';
-- What waits is looked for among what has not run out, however much has.
create index approvals_pending on proviso.approvals (expires_at) where verdict = 'pending';

create table proviso.approval_decisions (
  tenant text not null,
  approval_id text not null,
  number integer not null,
  body bytea not null,
  at timestamptz not null,
  primary key (approval_id, number),
  foreign key (tenant, approval_id) references proviso.approvals (tenant, id)
);

-- Standing approvals in force, each with the approval that gave it; admission locks the row, so that a revocation counts at once.
create table proviso.grants (
  id text primary key,
  tenant text not null,
  tool text not null,
  user_name text not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- By whom and why.
  revocation bytea,
  foreign key (tenant, id) references proviso.approvals (tenant, id)
);
create index grants_in_force on proviso.grants (tenant, tool, user_name) where revoked_at is null;

-- What people have said of a held attempt, until enough of them say the same.
create table proviso.statements (
  tenant text not null,
  nonce uuid not null,
  person text not null,
  body bytea not null,
  at timestamptz not null,
  primary key (tenant, nonce, person)
);

-- Keys of people and agents; digests, no secrets. They are looked up by id before a tenant is known, so no reader sees them.
create table proviso.keys (
  id text primary key,
  tenant text not null,
  body bytea not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index keys_of_tenant on proviso.keys (tenant, created_at);

-- The key that tokens are signed with, where the ledger was given no file for it.
create table proviso.signing_keys (
  name text primary key,
  pem text not null,
  created_at timestamptz not null
);
do $$
declare
  name text;
begin
  foreach name in array array['keys', 'signing_keys'] loop
    execute format('alter table proviso.%I enable row level security', name);
    execute format('alter table proviso.%I force row level security', name);
    execute format('create policy owner on proviso.%I to current_user using (true) with check (true)', name);
  end loop;
end $$;

-- Rates, budgets and what is left of grants: calls, or millionths of a currency. What has a window begins anew with each.
create table proviso.counters (
  tenant text not null,
  name text not null,
  used bigint not null,
  -- What people have added to the limit, for this window.
  raised bigint not null default 0,
  window_from timestamptz,
  primary key (tenant, name)
) with (fillfactor = 70);

create table proviso.raises (
  tenant text not null,
  id text not null,
  name text not null,
  window_from timestamptz,
  amount bigint not null,
  raised_by text not null,
  why text not null,
  at timestamptz not null,
  primary key (tenant, id)
);

create table proviso.escalations (
  id uuid primary key,
  tenant text not null,
  call_id uuid not null,
  kind text not null,
  body bytea not null,
  opened_at timestamptz not null,
  resolved_at timestamptz,
  resolved_by text,
  unique (id, tenant)
);
create index escalations_open on proviso.escalations (call_id) where resolved_at is null;

-- What models are sent back to mend: a row for each scope that has refusals, hashes and counts alone.
create table proviso.repairs (
  key bytea primary key,
  tenant text not null,
  -- The scope in words, to look up its calls.
  scope text not null,
  version bigint not null,
  state text not null,
  -- The call of the newest refusal.
  last_call uuid not null,
  refused_at timestamptz not null
) with (fillfactor = 70);
create index repairs_by_age on proviso.repairs (refused_at);

create table proviso.runs (
  tenant text not null,
  run text not null,
  -- Under which it stands in call_keys once it carries labels.
  key bytea not null,
  discovered text[] not null default '{}',
  -- What it has seen: untrusted, confidential, regulated, secret. Only ever more.
  labels text[] not null default '{}',
  -- Runs that are parent and child carry their labels together, on the row of one of them. The others name a run that is nearer to it; null
  -- in a row that holds its labels itself.
  family text,
  -- Of the runs that point to it, directly or over others, the most steps that one of them takes; an upper bound.
  height smallint not null default 0,
  -- By tool, the version that the run began with; under the empty name, its release.
  versions jsonb,
  primary key (tenant, run)
);

create table proviso.results (
  tenant text not null,
  ref text not null,
  call_id uuid not null,
  body bytea not null,
  stored_at timestamptz not null,
  primary key (tenant, ref)
);

-- Contracts belong to no tenant: a hash is its own permission.
create table proviso.contracts (
  hash text primary key,
  body bytea not null,
  stored_at timestamptz not null
);

-- Effects that are still to be read back: one row for each call, written in the commit that ends its attempt and gone with the last reading.
create table proviso.verifications (
  call_id uuid primary key,
  tenant text not null,
  contract_hash text not null,
  slot_key text,
  generation integer not null,
  -- By the database's own clock; moved on by the one who claims it.
  due_at timestamptz not null,
  reads integer not null,
  -- The one who has it in hand: only under this name is it postponed or finished.
  claim uuid,
  -- What to read and what must hold there.
  body bytea not null
);
create index verifications_due on proviso.verifications (due_at);

-- Sagas and their journals. The owner of a saga writes under its epoch; a line of the journal, the slots it speaks of and the questions it
-- raises are one commit.
create table proviso.sagas (
  tenant text not null,
  id text not null,
  name text not null,
  definition text not null,
  -- What it was begun with: version, plan, input and context.
  body bytea not null,
  state text not null,
  direction text not null,
  epoch integer not null,
  seq integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Null: over, or until a person resumes it.
  due_at timestamptz,
  primary key (tenant, id)
) with (fillfactor = 70);
create index sagas_due on proviso.sagas (due_at) where due_at is not null;
create index sagas_by_age on proviso.sagas (created_at);
-- For retention: what is over goes by the time of its last line.
create index sagas_over on proviso.sagas (updated_at) where state in ('COMPLETED', 'COMPENSATED');

create table proviso.saga_entries (
  tenant text not null,
  saga text not null,
  seq integer not null,
  epoch integer not null,
  at timestamptz not null,
  body bytea not null,
  primary key (tenant, saga, seq),
  foreign key (tenant, saga) references proviso.sagas (tenant, id) on delete cascade
);

-- Which version of a tool is current: what people decided, in order and never changed. It belongs to the installation and not to a tenant:
-- readers have no business here.
create table proviso.version_decisions (
  -- Counts without a gap: a writer says which one comes next, and of two who say the same one is too late.
  seq integer primary key,
  at timestamptz not null,
  body bytea not null
);

-- What people have approved of what others publish, revision by revision. It belongs to the installation, as well.
create table proviso.pins (
  -- Digest of the source and the client capabilities that were declared to it.
  id text not null,
  -- A writer says which one comes next, and of two who say the same one is too late.
  revision integer not null,
  source text not null,
  stored_at timestamptz not null,
  -- Nothing was approved with it: a look has found something.
  is_look boolean not null,
  body bytea not null,
  primary key (id, revision)
);

-- What is kept of this ledger outside of it: a number for each place, which grows with what is committed. It belongs to the installation.
create table proviso.witnesses (
  id uuid primary key,
  number bigint not null,
  at timestamptz not null,
  -- The number of the newest group of facts.
  ticket bigint not null
);

-- The transparency log: what the sequencer makes of committed facts, one tree for each tenant. Nothing here is touched by a call. Leaves
-- stay for ever; facts go with their salts when their week is retired, and then a leaf tells nothing of what it was made of.
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

-- Up to where committed groups are in the log. One row.
create table proviso.log_cursor (
  one boolean primary key default true check (one),
  xid xid8 not null,
  ticket bigint not null,
  at timestamptz not null
);
insert into proviso.log_cursor (xid, ticket, at) values ('0', 0, proviso.clock());

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

-- Readers see the tenant that their transaction names, and nothing where it names none.
do $$
declare
  name text;
  owner text;
begin
  foreach name in array array['calls', 'call_keys', 'facts', 'idempotency_keys', 'slot_marks', 'slot_resources', 'approvals', 'approval_decisions', 'grants', 'statements',
    'counters', 'raises', 'escalations', 'repairs', 'runs', 'results', 'verifications', 'sagas', 'saga_entries', 'log_leaves', 'log_heads', 'log_checkpoints',
    'log_retirements'] loop
    owner := case name when 'idempotency_keys' then 'tenant_id' else 'tenant' end;
    execute format('alter table proviso.%I enable row level security', name);
    execute format('alter table proviso.%I force row level security', name);
    execute format('create policy reader on proviso.%I for select to proviso_reader using (%I = current_setting(''proviso.tenant'', true))',
      name, owner);
    -- Writers are functions of the owner's, which carry the tenant in every row and key.
    execute format('create policy owner on proviso.%I to current_user using (true) with check (true)', name);
    execute format('grant select on proviso.%I to proviso_reader', name);
  end loop;
end $$;
grant select on proviso.contracts to proviso_reader;
