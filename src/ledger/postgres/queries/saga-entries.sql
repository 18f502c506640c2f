select seq, epoch, proviso.epoch_ms(at), body from proviso.saga_entries where tenant = $1 and saga = $2 order by seq
