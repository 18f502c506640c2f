select pg_advisory_xact_lock(hashtextextended($2, hashtextextended($1, 2)))
