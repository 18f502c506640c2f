-- Transaction ids beyond all that this server has given out come from another server: the database was moved.
select xid::text, ticket, proviso.epoch_ms(at), xid > pg_snapshot_xmax(pg_current_snapshot()),
  pg_snapshot_xmin(pg_current_snapshot())::text, proviso.epoch_ms(proviso.clock())
from proviso.log_cursor
