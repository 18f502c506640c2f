select body, ending from proviso.calls where id = $1
