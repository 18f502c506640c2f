-- Attempts that happened, of calls that nothing was written of before; of one that is not as expected, nothing is written, and the count
-- of the last insert says so. People are only ever asked about slots that are held. What the admission wrote of a call goes to its tables
-- with what its end has added. Its answer's time is counted from a moment after its end.
with u as /* rows */,
settled as (
  update proviso.idempotency_keys x set status = 'COMPLETED', effect = 'happened', starts = x.starts + u.tries, response_status = u.code,
    response_body = u.answer, completed_at = proviso.clock(), rebuild = u.rebuild = 1, expires_at = proviso.clock() + u.ttl * interval '1 ms',
    admitted = null, admitted_call = null
  from u /* before */
  where x.tenant_id = u.tenant and x.slot_key = u.slot and x.generation = u.generation
    and x.status = 'PENDING' and not x.held and x.attempt = u.attempt and x.nonce = u.nonce and x.resource is null
    and x.admitted is not null
  returning u.call, u.tenant, u.run, u.tool, u.status, u.entry, u.salt, substring(old.admitted for old.admitted_call) || u.ending as body,
    u.facts || substring(old.admitted from old.admitted_call + 1) as facts
),
calls as (
  insert into proviso.calls (id, tenant, run, tool, status, effect, body)
  select s.call, s.tenant, s.run, s.tool, s.status, 'happened', s.body from settled s
)
insert into proviso.facts (call_id, entry, tenant, pass, salt, body)
select s.call, s.entry, s.tenant, 1, decode(s.salt, 'hex'), s.facts from settled s
