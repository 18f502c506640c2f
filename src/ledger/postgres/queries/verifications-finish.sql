delete from proviso.verifications where call_id = $1 and claim = $2 returning 1
