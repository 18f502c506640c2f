select count(*) from proviso.approvals
where tenant = $1 and run is not distinct from $2 and verdict in ('pending', 'superseded') and used_by is null and expires_at > proviso.clock()
