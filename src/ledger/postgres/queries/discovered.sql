select discovered from proviso.runs where tenant = $1 and run = $2
