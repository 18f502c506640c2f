select case when revision is distinct from $2::integer then body end from proviso.pins where id = $1 order by revision desc limit 1
