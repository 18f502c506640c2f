select proviso.raise_limit($1, $2, $3, $4, $5, $6, $7)
