select h.tenant, c.size, c.text from proviso.log_heads h
cross join lateral (
  select c.size, c.text from proviso.log_checkpoints c where c.tenant = h.tenant order by c.size desc limit 1
) c
where $1::text is null or h.tenant = $1
order by h.tenant
