-- The ledger itself: what was made of it, by which version.

-- name: ledger-kind
-- Before its first publication a ledger kept its steps by name and date, without checksums.
select case
  when to_regclass('proviso.migrations') is null then 'none'
  when exists (select 1 from pg_attribute where attrelid = to_regclass('proviso.migrations') and attname = 'sha256') then 'ours'
  else 'unpublished' end

-- name: ledger-state
select 'step', number, sha256 from proviso.migrations
union all
select 'functions', layout, sha256 from proviso.functions

-- name: ledger-lost
-- The functions of these names that are not there.
select u.name from unnest($1::text[]) u (name)
where not exists (
  select 1 from pg_proc p join pg_namespace s on s.oid = p.pronamespace where s.nspname = 'proviso' and p.proname = u.name)
order by u.name

-- name: ledger-lists
create schema if not exists proviso;
create table if not exists proviso.migrations (
  number integer primary key,
  name text not null,
  sha256 text not null,
  at timestamptz not null default now()
);
create table if not exists proviso.functions (
  layout integer primary key,
  sha256 text not null,
  at timestamptz not null default now()
);
