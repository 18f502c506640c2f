select c.body from proviso.calls c
where ($1::text is null or c.tenant = $1)
  and ($2::text is null or c.run = $2)
  and ($3::text is null or c.tool = $3)
  and ($4::text is null or c.status = $4)
  and ($5::text is null or c.effect = $5)
  and ($6::uuid is null or c.id > $6)
  and ($7::boolean is null or $7 = (c.id in (
    select k.call_id from proviso.idempotency_keys k where k.completed_at is null and k.status = 'PENDING' and k.look_after = 'infinity' and k.held)))
  and ($9::uuid is null or c.id < $9)
order by c.id desc
limit $8
