-- Only from where the mover has found it: nobody else has appended meanwhile.
update proviso.log_cursor set xid = $3::xid8, ticket = $4, at = proviso.clock() where xid = $1::xid8 and ticket = $2
returning 1
