select body from proviso.escalations where ($1::text is null or tenant = $1) and resolved_at is null order by opened_at, id
