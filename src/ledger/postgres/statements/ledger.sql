-- The ledger itself: what was made of it, by which version.

-- The part writes: to the end of its transaction, the rows that a statement writes are bound (functions/bind.sql).

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

-- name: tool-role
-- What the role of tools could do beyond its tables, and whether it has what it needs.
select array_remove(array[
    case when r.rolsuper then 'is a superuser' end,
    case when r.rolbypassrls then 'bypasses row policies' end,
    case when r.oid = n.nspowner then 'owns the ledger' end,
    case when exists (
      select 1 from pg_roles o where o.oid <> r.oid and (o.rolsuper or o.rolbypassrls or o.oid = n.nspowner or o.rolname = 'proviso_reader')
        and pg_has_role(r.oid, o.oid, 'MEMBER')) and not r.rolsuper then 'may become a role that has more rights' end,
    case when not r.rolsuper and exists (
      select 1 from pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'S')
        and case c.relkind when 'S' then has_sequence_privilege(r.oid, c.oid, 'usage')
          else has_table_privilege(r.oid, c.oid, 'select, insert, update, delete, truncate') end)
      then 'has rights to tables of the ledger' end,
    case when not r.rolsuper and has_schema_privilege(r.oid, n.oid, 'create') then 'may make things in the schema of the ledger' end
  ], null),
  coalesce(has_schema_privilege(r.oid, n.oid, 'usage') and (
    select count(*) = 3 and bool_and(has_function_privilege(r.oid, p.oid, 'execute')) from pg_proc p
    where p.pronamespace = n.oid and p.proname in ('tool_begin_v1', 'tool_settle_v1', 'tenant')), false)
from pg_roles r, pg_namespace n where r.rolname = $1 and n.nspname = 'proviso'

-- name: tool-grants
grant usage on schema proviso to /* role */;
do $$ declare one regprocedure; begin
  for one in select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'proviso' and p.proname in ('tool_begin_v1', 'tool_settle_v1', 'tenant')
  loop
    execute format('grant execute on function %s to /* role */', one);
  end loop;
end $$

-- name: tool-ticket
-- Those that no reading has given back go with the next.
with gone as (delete from proviso.tool_tickets where until < proviso.clock())
insert into proviso.tool_tickets (nonce, tenant, until) values ($1, $2, proviso.clock() + interval '1 hour')

-- name: tool-ticket-end
delete from proviso.tool_tickets where nonce = $1

-- part: writes
(select set_config('proviso.writes', 'on', true) = 'on')
