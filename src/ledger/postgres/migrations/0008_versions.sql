-- Which version of a tool is current: what people decided, in order and never changed, and what each run began with.

-- Up Migration

-- Belongs to whoever runs the tools, not to a tenant: readers have no business here.
create table proviso.version_decisions (
  -- Counts without a gap: whoever writes says which one comes next, and of two who say the same one is too late.
  seq integer primary key,
  at timestamptz not null,
  body bytea not null
);

-- By tool, the version that the run began with; under the empty name, its release.
alter table proviso.runs add column versions jsonb;

-- Down Migration

drop schema proviso cascade;
