update proviso.sagas set due_at = proviso.clock() where tenant = $1 and id = $2 and state = 'WAITING'
