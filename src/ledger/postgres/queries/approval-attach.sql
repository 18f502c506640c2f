update proviso.approvals set attached = attached || $2::text where id = $1 and cardinality(attached) < $3
