-- Effects that are still to be read back.

-- name: verifications-claim
with due as (
  select call_id from proviso.verifications
  -- The index is of times.
  where due_at <= (select proviso.clock())
    and proviso.work_due_v1(due => due_at <= proviso.clock(), watched => false, waited => false, known => contract_hash = any ($1),
      orphan => due_at <= proviso.clock() - $4::float8 * interval '1 ms') = 'taken'
  order by due_at
  limit $2
  for update skip locked
), claimed as (
  update proviso.verifications v set due_at = proviso.clock() + $3::float8 * interval '1 ms', claim = $5
  from due where v.call_id = due.call_id
  returning v.call_id, v.contract_hash, v.slot_key, v.generation, v.reads, v.body
)
select v.call_id, v.contract_hash, v.slot_key, v.generation, v.reads, v.body, c.body, proviso.epoch_ms(proviso.clock())
from claimed v left join proviso.calls c on c.id = v.call_id

-- name: verifications-postpone
update proviso.verifications set due_at = proviso.clock() + $4::float8 * interval '1 ms', reads = $3, claim = null
where call_id = $1 and claim = $2 and /* writes */
returning 1

-- name: verifications-finish
delete from proviso.verifications where call_id = $1 and claim = $2 and /* writes */ returning 1
