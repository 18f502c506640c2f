update proviso.verifications set due_at = proviso.clock() + $4::float8 * interval '1 ms', reads = $3, claim = null
where call_id = $1 and claim = $2
returning 1
