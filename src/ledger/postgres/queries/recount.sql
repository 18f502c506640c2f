select proviso.recount(array[$1::text], array[$2::text], array[to_timestamp($3::float8 / 1000)], array[$4::integer])
