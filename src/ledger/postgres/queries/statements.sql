select body from proviso.statements where tenant = $1 and nonce = $2 order by at, person
