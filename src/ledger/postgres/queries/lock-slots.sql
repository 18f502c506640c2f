select proviso.lock_slots($1)
