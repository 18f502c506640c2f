-- What runs carry, were shown, and began with; what they were denied.

-- name: label-run
select o_labels, o_holder from proviso.label_run_v1($1, $2, decode($3, 'hex'), $4, $5, decode($6, 'hex'))

-- name: discover
insert into proviso.runs (tenant, run, key, discovered) select $1, $2, decode($4, 'hex'), $3 where /* writes */
on conflict (tenant, run) do update
set discovered = (select array_agg(distinct tool) from unnest(runs.discovered || excluded.discovered) tool)

-- name: discovered
select discovered from proviso.runs where tenant = $1 and run = $2

-- name: count-denial
insert into proviso.counters as x (tenant, name, used) values ($1, $2, 1)
on conflict on constraint counters_pkey do update set used = x.used + 1
returning x.used

-- name: run-versions
insert into proviso.runs (tenant, run, key, versions) select $1, $2, decode($5, 'hex'), $3::jsonb || $4::jsonb where /* writes */
on conflict (tenant, run) do update
set versions = excluded.versions || coalesce(runs.versions, '{}') || $4::jsonb
returning versions
