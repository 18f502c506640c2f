select exists (select 1 from proviso.facts where call_id = $1 and entry = $2) as done
