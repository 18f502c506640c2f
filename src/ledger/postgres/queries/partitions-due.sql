select to_regclass('proviso.' || proviso.partition_name('facts', proviso.week_of(proviso.clock()) + interval '14 days')) is null
