select tenant, size, frontier from proviso.log_heads where $1::text[] is null or tenant = any ($1)
