select seq, proviso.epoch_ms(at), body from proviso.version_decisions where seq > $1 order by seq
