-- Counters: taken from, given back to, leased in blocks, and raised.

-- Takes an amount, or adds to the limit, in the window of this moment; says how the counter stood before, and in which window. That is a
-- later one where the clock has gone back.
create function proviso.take_counter_v1(p_tenant text, p_name text, p_amount bigint, p_raise bigint, p_window_ms bigint, p_at timestamptz,
  out o_used bigint, out o_raised bigint, out o_from timestamptz
) language sql as $$
  insert into proviso.counters as x (tenant, name, used, raised, window_from)
  values (p_tenant, p_name, p_amount, p_raise, proviso.window_start_v1(at => p_at, ms => p_window_ms))
  on conflict on constraint counters_pkey do update set
    used = proviso.count_in_v1(known => x.used, known_from => x.window_from, newest_from => excluded.window_from) + excluded.used,
    raised = proviso.count_in_v1(known => x.raised, known_from => x.window_from, newest_from => excluded.window_from) + excluded.raised,
    window_from = greatest(x.window_from, excluded.window_from)
  returning x.used - p_amount, x.raised - p_raise, x.window_from
$$;

-- Takes what attempts have reserved once more, or gives it back: to the window that it came from, and to no later one.
create function proviso.recount_v1(p_tenants text[], p_reserved text[], p_at timestamptz[], p_signs integer[]) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
begin
  update proviso.counters x set used = greatest(0, x.used + b.change) from (
    select e.tenant, e.name, proviso.window_start_v1(at => e.at, ms => e.ms) as window_from, sum(e.sign * e.amount)::bigint as change
    from (
      select u.tenant, u.at, u.sign, r.value ->> 0 as name, (r.value ->> 1)::bigint as amount, (r.value ->> 2)::bigint as ms
      from unnest(p_tenants, p_reserved, p_at, p_signs) u (tenant, reserved, at, sign)
      cross join lateral json_array_elements(u.reserved::json) r
    ) e group by 1, 2, 3 order by e.tenant collate "C", e.name collate "C", 3
  ) b where x.tenant = b.tenant and x.name = b.name and x.window_from is not distinct from b.window_from;
end $$;

-- Calls that only read draw on blocks: a quarter of what is left, so that little lies unused in one process while another is refused.
create function proviso.lease_quota_v1(p_tenant text, p_name text, p_max bigint, p_window_ms bigint, p_wanted bigint)
returns table (granted bigint, left_ms float8, used bigint, most bigint) language plpgsql as $$
declare
  now_ timestamptz := proviso.clock();
  counted record;
begin
  counted := proviso.take_counter_v1(p_tenant, p_name, 0, 0, p_window_ms, now_);
  used := counted.o_used;
  most := p_max + counted.o_raised;
  granted := least(greatest(p_wanted, 1), greatest((most - used + 3) / 4, 0));
  if granted > 0 then
    perform proviso.take_counter_v1(p_tenant, p_name, granted, 0, p_window_ms, now_);
  end if;
  left_ms := proviso.window_left_ms_v1(window_from => counted.o_from, ms => p_window_ms, at => now_);
  return next;
end $$;

-- More of a limit, for its present window. The same raise sent again changes nothing.
create function proviso.raise_limit_v1(
  p_tenant text, p_id text, p_name text, p_window_ms bigint, p_amount bigint, p_by text, p_why text
) returns void language plpgsql
as $$
declare
  now_ timestamptz := proviso.clock();
begin
  perform set_config('proviso.writes', 'on', true);
  insert into proviso.raises (tenant, id, name, window_from, amount, raised_by, why, at)
  values (p_tenant, p_id, p_name, proviso.window_start_v1(at => now_, ms => p_window_ms), p_amount, p_by, p_why, now_) on conflict do nothing;
  if found then perform proviso.take_counter_v1(p_tenant, p_name, 0, p_amount, p_window_ms, now_); end if;
end $$;
