-- Attempts that happened, of calls that nothing was written of before: all of them, or an error, after which proviso.record does. People
-- are only ever asked about slots that are held.
with u as /* rows */,
t as materialized (select proviso.clock() as now_),
settled as (
  update proviso.idempotency_keys x set status = 'COMPLETED', effect = 'happened', starts = x.starts + u.tries, response_status = u.code,
    response_body = u.answer, completed_at = t.now_, rebuild = u.rebuild = 1, expires_at = t.now_ + u.ttl * interval '1 ms',
    admitted = null, admitted_call = null
  from u cross join t
  where x.tenant_id = u.tenant and x.slot_key = u.slot and x.generation = u.generation
    and x.status = 'PENDING' and not x.held and x.attempt = u.attempt and x.nonce = u.nonce and x.resource is null
  returning 1
),
calls as (
  insert into proviso.calls (id, tenant, run, tool, status, effect, body)
  select u.call, u.tenant, u.run, u.tool, u.status, 'happened', u.body from u
),
facts as (
  insert into proviso.facts (call_id, entry, tenant, pass, body) select u.call, u.entry, u.tenant, 1, u.facts from u
)
select 1 / ((select count(*) from settled) = (select count(*) from u))::integer
