select o_i, o_body, o_slot
from proviso.look_up($1)
