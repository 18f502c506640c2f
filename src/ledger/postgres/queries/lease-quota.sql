select granted, left_ms, o_used, o_max
from proviso.lease_quota($1, $2, $3, $4, $5)
