-- Of whom there is anything, also where the rest of it is gone. The leaves are skipped through, one look per tenant.
with recursive leaves (tenant) as (
  (select tenant from proviso.log_leaves order by tenant limit 1)
  union all
  select (select l.tenant from proviso.log_leaves l where l.tenant > leaves.tenant order by l.tenant limit 1)
  from leaves where leaves.tenant is not null
)
select tenant from (
  select tenant from leaves where tenant is not null
  union select tenant from proviso.log_heads
  union select tenant from proviso.log_checkpoints
  union select tenant from proviso.log_retirements
) t
where $1::text is null or tenant = $1
order by tenant
