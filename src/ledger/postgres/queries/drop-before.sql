select proviso.drop_before($1, $2, $3::xid8)
