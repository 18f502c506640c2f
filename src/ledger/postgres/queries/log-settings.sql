-- Looked up by key, in the order of the key, whatever the planner knows of tables that were empty a moment ago. What is lost in a crash is
-- made again: a checkpoint is signed only over what is on the disk.
select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('synchronous_commit', 'off', true)
