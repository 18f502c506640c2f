with decided as (
  update proviso.approvals set verdict = $2, token = $5 where id = $1 returning tenant
)
insert into proviso.approval_decisions (tenant, approval_id, number, body, at)
select tenant, $1, $3, $4, proviso.clock() from decided
