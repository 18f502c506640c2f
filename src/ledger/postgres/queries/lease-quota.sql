select granted, left_ms
from proviso.lease_quota($1, $2, $3, $4, $5)
