select proviso.open_calls($1)::text
