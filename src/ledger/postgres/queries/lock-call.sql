select 1 from proviso.calls where id = $1 for update
