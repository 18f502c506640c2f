update proviso.sagas set due_at = proviso.clock() + $4::float8 * interval '1 ms'
where tenant = $1 and id = $2 and epoch = $3 and due_at is not null and state <> 'WAITING'
returning 1
