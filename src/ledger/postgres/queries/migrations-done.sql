select name from proviso.migrations
