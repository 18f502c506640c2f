-- What the log commits to of a group of facts: what it binds, one line for each row that was written beside it, an empty line, and its
-- text. Without the empty line what a group binds could be moved into its text, where no audit looks for it, and the commitment would hold.
-- Null where there is no group.
create function proviso.content_v1(
  p_call bytea, p_slot bytea, p_answer bytea, p_amended bytea, p_row bytea, p_state bytea, p_attempt integer, p_writer uuid, p_number bigint, p_body bytea
) returns bytea
language sql immutable parallel safe as $$
  select convert_to(
    coalesce('call ' || encode(p_call, 'hex') || E'\n', '') || coalesce('slot ' || encode(p_slot, 'hex') || E'\n', '')
    || coalesce('answer ' || encode(p_answer, 'hex') || E'\n', '') || coalesce('amended ' || encode(p_amended, 'hex') || E'\n', '')
    || coalesce('row ' || encode(p_row, 'hex') || E'\n', '') || coalesce('state ' || encode(p_state, 'hex') || E'\n', '')
    || coalesce('attempt ' || p_attempt || E'\n', '') || coalesce('writer ' || p_writer || E'\n', '') || coalesce('number ' || p_number || E'\n', '')
    || E'\n', 'UTF8') || p_body
$$;

-- The commitment binds the content with its salt and its ticket. It is made here: two kilobytes of facts need not travel for 32 bytes.
create function proviso.commitment_v1(
  p_tag bytea, p_salt bytea, p_ticket bigint, p_call bytea, p_slot bytea, p_answer bytea, p_amended bytea, p_row bytea, p_state bytea,
  p_attempt integer, p_writer uuid, p_number bigint, p_body bytea
) returns bytea language sql immutable parallel safe as $$
  select sha256(p_tag || p_salt || int8send(p_ticket)
    || proviso.content_v1(p_call, p_slot, p_answer, p_amended, p_row, p_state, p_attempt, p_writer, p_number, p_body))
$$;
