select body from proviso.facts where call_id = $1 order by ticket
