-- Approvals, grants, and the key that tokens are signed with. How an approval or a grant stands, the rules say; what stands beside them of
-- columns is what an index is found by.

-- part: approval
a.body, proviso.epoch_ms(a.created_at), proviso.epoch_ms(a.expires_at), a.used_by::text, a.verdict = 'superseded', a.token, a.attached,
  (select array_agg(d.body order by d.number) from proviso.approval_decisions d where d.approval_id = a.id),
  proviso.epoch_ms(proviso.clock())

-- name: approval
select /* approval */
from proviso.approvals a
where a.id = $1

-- name: approval-of-subject
select /* approval */
from proviso.approvals a
where a.kind = 'call' and a.tenant = $1 and a.slot_key = $2 and a.generation = $3 and a.payload_hash = $4
order by a.created_at desc, a.id desc
limit 1

-- name: approval-open-of-slot
select /* approval */
from proviso.approvals a
where a.tenant = $1 and a.slot_key = $2 and a.generation = $3 and case proviso.status_of_approval_v1(a, proviso.clock())
  when 'pending' then true when 'approved' then a.payload_hash = $4 and a.kind = 'call' else false end
order by a.created_at desc, a.id desc

-- name: approval-rejected
select /* approval */
from proviso.approvals a
where a.kind = 'call' and a.verdict = 'rejected' and a.tenant = $1 and a.payload_hash = $2
order by a.created_at desc, a.id desc
limit 1

-- name: approvals
select /* approval */
from proviso.approvals a
where ($1::text is null or a.tenant = $1) and ($2::text is null or a.id > $2)
  and ($3::text is null or $3 = proviso.status_of_approval_v1(a, proviso.clock()))
order by a.id
limit $4

-- name: approvals-pending
-- The index is of verdicts and times.
select /* approval */
from (
  select * from proviso.approvals p
  where p.verdict = 'pending' and p.expires_at > (select proviso.clock())
    and proviso.status_of_approval_v1(p, proviso.clock()) = 'pending' and ($1::text is null or p.tenant = $1)
    and ($2::text is null or p.id > $2)
  order by p.id
  limit $3
) a
order by a.id

-- name: approvals-waiting
-- The index is of verdicts and times. A null is looked up by itself: no index finds what is not distinct from it.
select count(*) from proviso.approvals a
where a.tenant = $1 and a.requester = $2 and (a.run = $3 or ($3::text is null and a.run is null)) and a.verdict = 'pending'
  and a.expires_at > (select proviso.clock()) and proviso.status_of_approval_v1(a, proviso.clock()) = 'pending' and a.id <> all ($4)

-- name: approvals-resumable
-- The index is of those that resume, were approved and are not used. One for more than a call is approved for ever, but resumes nothing once
-- its time is over.
select a.call_id::text from proviso.approvals a join proviso.calls c on c.id = a.call_id
where a.resume and a.verdict = 'approved' and a.used_by is null
  and proviso.status_of_approval_v1(a, proviso.clock()) = 'approved' and a.expires_at > proviso.clock() and c.status = 'CONFIRMATION_MISSING'
  and ($1::uuid is null or a.call_id > $1)
order by a.call_id
limit 32

-- name: lock-approval
select id from proviso.approvals where id = $1 and ($2::text is null or tenant = $2) for update

-- name: lock-approvals-of-requester
select pg_advisory_xact_lock(hashtextextended($2, hashtextextended($1, 1)))

-- name: lock-approvals-of-slot
select pg_advisory_xact_lock(hashtextextended($2, hashtextextended($1, 2)))

-- name: open-approval
insert into proviso.approvals as a (id, tenant, call_id, requester, run, slot_key, generation, payload_hash, kind, resume, body, created_at,
  expires_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now_, now_ + $12::float8 * interval '1 ms' from proviso.clock() now_ where /* writes */
returning /* approval */

-- name: approval-attach
update proviso.approvals set attached = attached || $2::text where id = $1 and cardinality(attached) < $3 and /* writes */

-- name: approval-supersede
update proviso.approvals a set verdict = 'superseded'
where a.id = $1 and proviso.status_of_approval_v1(a, proviso.clock()) in ('pending', 'approved') and /* writes */

-- name: approval-decide
with decided as (
  update proviso.approvals set verdict = $2, token = $5 where id = $1 and /* writes */ returning tenant
)
insert into proviso.approval_decisions (tenant, approval_id, number, body, at)
select tenant, $1, $3, $4, proviso.clock() from decided

-- name: grant
select /* approval */, g.revocation, proviso.epoch_ms(g.revoked_at)
from proviso.grants g join proviso.approvals a on a.id = g.id
where g.id = $1

-- name: grants
select /* approval */, g.revocation, proviso.epoch_ms(g.revoked_at)
from proviso.grants g join proviso.approvals a on a.id = g.id
where ($1::text is null or g.tenant = $1) and ($2::text is null or g.tool = $2) and ($3::text is null or g.user_name = $3)
order by g.id

-- name: grants-in-force
-- The index is of those that are not revoked.
select /* approval */, g.revocation, proviso.epoch_ms(g.revoked_at)
from proviso.grants g join proviso.approvals a on a.id = g.id
where g.tenant = $1 and g.tool = $2 and g.user_name = $3 and g.revoked_at is null
  and proviso.grant_force_v1(revoked => g.revoked_at is not null, over => g.expires_at <= proviso.clock()) = 'in_force'
order by g.id

-- name: grant-add
insert into proviso.grants (id, tenant, tool, user_name, expires_at) select $1, $2, $3, $4, to_timestamp($5::float8 / 1000) where /* writes */
on conflict do nothing

-- name: grant-revoke
update proviso.grants set revoked_at = proviso.clock(), revocation = $2
where id = $1 and ($3::text is null or tenant = $3) and revoked_at is null and /* writes */

-- name: signing-key
select pem from proviso.signing_keys order by created_at, name limit 1

-- name: signing-key-add
insert into proviso.signing_keys (name, pem, created_at) select 'tokens', $1, proviso.clock() where /* writes */ on conflict do nothing
