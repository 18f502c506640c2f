-- What other functions and statements know of slots and approvals.

-- A plain statement that is not as expected writes nothing: it ends in an error of its own code.
create function proviso.expect_v1(p_ok boolean) returns boolean language plpgsql stable as $$
begin
  if p_ok then return true; end if;
  raise exception 'PV001' using errcode = 'PV001';
end $$;

-- A slot that is about to be decided on may not exist yet: a number is locked in its place, and who comes second waits. The numbers come
-- sorted.
create function proviso.lock_slots_v1(p_locks bigint[]) returns void language plpgsql as $$
declare
  waited boolean;
begin
  for n in 1 .. coalesce(cardinality(p_locks), 0) loop
    waited := pg_advisory_xact_lock(p_locks[n]) is null;
  end loop;
end $$;

-- The generation that has seen this provider call id, else the newest.
create function proviso.newest_slot_v1(p_tenant text, p_slot text, p_provider text) returns setof proviso.idempotency_keys
language sql stable as $$
  select * from proviso.idempotency_keys k
  where k.tenant_id = p_tenant and k.slot_key = p_slot
  order by coalesce(p_provider = any (k.provider_call_ids), false) desc, k.generation desc
  limit 1
$$;

-- A record as one text, its fields by name.
create function proviso.slot_json_v1(k proviso.idempotency_keys) returns text language sql stable as $$
  select (/* slot as json */)::text
$$;

-- How an approval is listed, at a moment.
create function proviso.status_of_approval_v1(a proviso.approvals, p_at timestamptz) returns text language sql immutable parallel safe as $$
  select proviso.approval_status_v1(
    verdict => a.verdict, used => a.used_by is not null, lasting => a.kind <> 'call' and a.token is not null, over => a.expires_at <= p_at)
$$;
