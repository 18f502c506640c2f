select n.body from (select distinct on (id) id, source, body from proviso.pins order by id, revision desc) n order by n.source, n.id
