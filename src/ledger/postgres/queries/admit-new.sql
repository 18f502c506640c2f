-- Calls of which nothing is known, and nothing stands against: all of them, or an error, after which proviso.admit decides on each.
with u as /* rows */,
t as materialized (select c.now_, c.now_ + :lease:::bigint * interval '1 ms' as lease_end from (select proviso.clock() as now_ offset 0) c),
slots as (
  insert into proviso.idempotency_keys (tenant_id, slot_key, generation, idempotency_key, request_hash, status, effect, kind, operation,
    call_id, call_key, admitted, admitted_call, nonce, contract_hash, attempt, run, provider_call_ids, timeout_ms, lease_until, look_after,
    created_at, admitted_at, reserved)
  select u.tenant, u.slot, 1, u.key, decode(u.request_hash, 'hex'), 'PENDING', 'unknown', u.kind, u.operation,
    u.call, decode(u.call_key, 'hex'), u.admitted, u.admitted_call, u.nonce, u.contract, 1, u.run,
    case when u.provider is null then '{}'::text[] else array[u.provider] end, u.timeout, t.lease_end, t.lease_end, t.now_, t.now_, u.reserved
  from u cross join t
),
claimed as /* claims */,
counted as (
  insert into proviso.counters as x (tenant, name, used, window_from) select c.tenant, c.name, c.claimed, c.window_from from claimed c
  on conflict on constraint counters_pkey do update set
    used = case when excluded.window_from > x.window_from then excluded.used else x.used + excluded.used end,
    raised = case when excluded.window_from > x.window_from then 0 else x.raised end,
    window_from = greatest(x.window_from, excluded.window_from)
  returning x.tenant, x.name, x.used, x.raised
)
select 1 / (
  not exists (select 1 from counted x join claimed c on c.tenant = x.tenant and c.name = x.name where x.used > c.most + x.raised)
  and not exists (select 1 from proviso.call_keys k join u on k.key = decode(u.call_key, 'hex'))
  and not exists (select 1 from proviso.runs r join u on r.tenant = u.tenant and r.run = u.run where u.unlabelled = 1 and r.labels <> '{}')
)::integer
