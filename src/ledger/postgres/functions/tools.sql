-- What the role of tools may ask of the ledger, on a connection of its own: to begin the transaction of one attempt, and to settle that
-- attempt in it. They run as the ledger; who calls them has no right to any of its tables. The path is fixed: nothing that a tool has set or
-- made is found by a name here.

-- Once in a transaction, and only for an attempt that runs. A reading has no attempt, and a ticket in its place.
create function proviso.tool_begin_v1(p_tenant text, p_slot text, p_generation integer, p_nonce uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_slot is null then
    perform 1 from proviso.tool_tickets x where x.nonce = p_nonce and x.tenant = p_tenant and x.until > proviso.clock();
  else
    perform 1 from proviso.idempotency_keys x
    where x.tenant_id = p_tenant and x.slot_key = p_slot and x.generation = p_generation and x.nonce = p_nonce and x.status = 'PENDING';
  end if;
  if not found then
    raise exception 'There is no such attempt.' using errcode = 'insufficient_privilege';
  end if;
  insert into proviso.tool_transactions (xact, tenant, nonce) values (pg_current_xact_id(), p_tenant, p_nonce);
exception when unique_violation then
  raise exception 'The transaction has its tenant already.' using errcode = 'insufficient_privilege';
end $$;

-- One entry, which ends the attempt that the transaction was begun for.
create function proviso.tool_settle_v1(
  p_nonce uuid, /* entries parameters */, /* questions parameters */,
  p_bytes bytea, p_locks bigint[], p_max_seen integer, p_writer uuid
) returns text[] language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own proviso.tool_transactions;
  fits boolean;
begin
  delete from proviso.tool_transactions x where x.xact = pg_current_xact_id() and x.nonce = p_nonce returning * into own;
  select count(*) = 1 and bool_and(r.tenant = own.tenant and r.end_nonce = own.nonce) into fits from /* entries rows */ r;
  if own.nonce is null or fits is not true then
    raise exception 'This is not the transaction of that attempt.' using errcode = 'insufficient_privilege';
  end if;
  return proviso.record_v1(/* entries arguments */, /* questions arguments */, p_bytes, p_locks, p_max_seen, p_writer);
end $$;
