select to_regclass('proviso.migrations') is not null
