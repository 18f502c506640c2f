select o_i, o_body, o_slot, o_labels
from proviso.look_up($1)
