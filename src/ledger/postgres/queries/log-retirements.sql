select tenant, number, index, from_id, to_id, leaves, reason, at_ms, previous from proviso.log_retirements
where $1::text is null or tenant = $1
order by tenant, number
