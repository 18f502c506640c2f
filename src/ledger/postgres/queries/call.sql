-- As it stands in its slot while it runs, else as its last pass has left it.
select coalesce(
  (select substring(k.admitted for k.admitted_call) from proviso.idempotency_keys k
   where k.completed_at is null and k.status = 'PENDING' and k.admitted is not null and k.call_id = $1 limit 1),
  (select c.body from proviso.calls c where c.id = $1))
