select body from proviso.contracts where hash = $1
