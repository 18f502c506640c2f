-- What people have approved of what others publish, revision by revision.

-- Up Migration

-- Belongs to whoever runs the tools, not to a tenant: readers have no business here.
create table proviso.pins (
  -- Digest of the source and the client capabilities that were declared to it.
  id text not null,
  -- Whoever writes says which one comes next, and of two who say the same one is too late.
  revision integer not null,
  source text not null,
  stored_at timestamptz not null,
  -- Nobody approved anything with it: somebody looked, and found something.
  is_look boolean not null,
  body bytea not null,
  primary key (id, revision)
);

-- Down Migration

drop schema proviso cascade;
