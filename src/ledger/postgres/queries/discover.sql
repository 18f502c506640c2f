insert into proviso.runs (tenant, run, discovered) values ($1, $2, $3)
on conflict (tenant, run) do update
set discovered = (select array_agg(distinct tool) from unnest(runs.discovered || excluded.discovered) tool)
