-- Heads beyond their newest checkpoint, which is older than so many milliseconds.
select h.tenant, h.size, h.frontier, proviso.epoch_ms(proviso.clock())
from proviso.log_heads h
left join lateral (
  select c.size, c.at from proviso.log_checkpoints c where c.tenant = h.tenant order by c.size desc limit 1
) c on true
where ($1::text is null or h.tenant = $1) and h.size > coalesce(c.size, 0)
  and (c.at is null or c.at <= proviso.clock() - $2::float8 * interval '1 ms')
