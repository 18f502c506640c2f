select i, body, ending, at, (slot).*
from proviso.look_up($1, $2, $3, $4)
