insert into proviso.runs (tenant, run, versions) values ($1, $2, $3::jsonb || $4::jsonb)
on conflict (tenant, run) do update
set versions = excluded.versions || coalesce(runs.versions, '{}') || $4::jsonb
returning versions
