select body from proviso.results where tenant = $1 and ref = $2
