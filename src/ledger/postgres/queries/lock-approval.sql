select id from proviso.approvals where id = $1 and ($2::text is null or tenant = $2) for update
