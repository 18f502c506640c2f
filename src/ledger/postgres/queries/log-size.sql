select coalesce(sum(size), 0) from proviso.log_heads where $1::text is null or tenant = $1
