select index, hash, nodes from proviso.log_leaves where tenant = $1 and index = any ($2::bigint[])
