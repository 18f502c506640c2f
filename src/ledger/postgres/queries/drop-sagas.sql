-- With their journals. One that is open, frozen or could not be undone stays, however old it is.
delete from proviso.sagas where state in ('COMPLETED', 'COMPENSATED') and updated_at < to_timestamp($1::float8 / 1000)
