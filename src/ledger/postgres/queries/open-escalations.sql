select 1 from proviso.escalations where call_id = $1 and resolved_at is null for update
