select set_config('proviso.tenant', $1, true)
