select body from proviso.pins where id = $1 order by revision desc limit 1
