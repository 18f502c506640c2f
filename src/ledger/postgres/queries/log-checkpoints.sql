select text from proviso.log_checkpoints where $1::text is null or tenant = $1 order by number
