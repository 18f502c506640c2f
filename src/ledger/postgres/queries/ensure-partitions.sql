select proviso.ensure_partitions($1)
