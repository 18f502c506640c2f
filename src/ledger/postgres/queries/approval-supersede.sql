update proviso.approvals set verdict = 'superseded' where id = $1 and verdict in ('pending', 'approved') and used_by is null
