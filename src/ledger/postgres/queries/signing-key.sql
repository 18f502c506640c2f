select pem from proviso.signing_keys order by created_at, name limit 1
