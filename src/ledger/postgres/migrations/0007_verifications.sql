-- Effects that are still to be read back: one row for each call, written in the commit that settles it and gone with the last reading.

-- Up Migration

create table proviso.verifications (
  call_id uuid primary key,
  tenant text not null,
  contract_hash text not null,
  slot_key text,
  generation integer not null,
  -- By the database's own clock; moved on by whoever claims it.
  due_at timestamptz not null,
  reads integer not null,
  -- Whoever has it in hand: only under this name is it postponed or finished.
  claim uuid,
  -- What to read and what must hold there.
  body bytea not null
);
create index verifications_due on proviso.verifications (due_at);

alter table proviso.verifications enable row level security;
alter table proviso.verifications force row level security;
create policy reader on proviso.verifications for select to proviso_reader using (tenant = current_setting('proviso.tenant', true));
create policy owner on proviso.verifications to current_user using (true) with check (true);
grant select on proviso.verifications to proviso_reader;

-- Down Migration

drop schema proviso cascade;
