insert into proviso.counters as x (tenant, name, used) values ($1, $2, 1)
on conflict on constraint counters_pkey do update set used = x.used + 1
returning x.used
