// Which rows facts vouch for, and the one list of what they do not: every column of every table is bound, or stands here with its reason.
// An audit that rebuilds the tables from facts leaves out what stands here, and measure:audit edits all of it to see that nothing else is.

/** A table whose rows a trigger binds, row by row, wherever Proviso writes them. */
export interface BoundTable {
  /** The columns that name a row. */
  readonly key: readonly string[]
  /** Whether it belongs to tenants, or to the installation. */
  readonly ofTenant: boolean
}

/** In whose log what belongs to no tenant is. */
export const installation = '(installation)'

/** Slots, calls, answers and counters are bound in their own ways: every call writes them. */
export const boundTables = {
  approvals: { key: ['id'], ofTenant: true },
  approval_decisions: { key: ['approval_id', 'number'], ofTenant: true },
  grants: { key: ['id'], ofTenant: true },
  statements: { key: ['tenant', 'nonce', 'person'], ofTenant: true },
  keys: { key: ['id'], ofTenant: true },
  signing_keys: { key: ['name'], ofTenant: false },
  raises: { key: ['tenant', 'id'], ofTenant: true },
  escalations: { key: ['id'], ofTenant: true },
  runs: { key: ['tenant', 'run'], ofTenant: true },
  results: { key: ['tenant', 'ref'], ofTenant: true },
  contracts: { key: ['hash'], ofTenant: false },
  verifications: { key: ['call_id'], ofTenant: true },
  sagas: { key: ['tenant', 'id'], ofTenant: true },
  saga_entries: { key: ['tenant', 'saga', 'seq'], ofTenant: true },
  version_decisions: { key: ['seq'], ofTenant: false },
  pins: { key: ['id', 'revision'], ofTenant: false },
} as const satisfies Readonly<Record<string, BoundTable>>

/** What can be done to rows of a table by another hand. */
export type Change = 'edit' | 'insert' | 'delete'

export interface Unbound {
  readonly table: string
  /** Those that may be edited; of inserts and deletes, the word for that. */
  readonly columns: readonly string[] | 'insert' | 'delete'
  readonly reason: string
}

export const unbound: readonly Unbound[] = [
  {
    table: 'idempotency_keys',
    columns: ['owner', 'lease_until', 'look_after', 'watcher'],
    reason:
      'Who has a running attempt in hand, until when, and when others look. It changes every few seconds, and says when recovery looks, never what it finds: that is decided by what is bound.',
  },
  {
    table: 'verifications',
    columns: ['due_at', 'claim'],
    reason:
      'When an effect is read back next, and which process does it. What is read, and that it is still due, is bound.',
  },
  {
    table: 'sagas',
    columns: ['due_at', 'updated_at'],
    reason: 'When a saga is looked at next, and when it last moved. What it has done and where it goes is bound.',
  },
  {
    table: 'counters',
    columns: ['used', 'window_from'],
    reason:
      'Bound from below: less than what operations have taken is found, and an earlier window. More, or a window that is to come, only refuses calls.',
  },
  {
    table: 'counters',
    columns: ['tenant', 'name'],
    reason:
      'A counter that operations have taken from is found when it is gone. What rates, reads and denials have counted is in no fact: their windows are over in seconds or minutes, and denials only ask people.',
  },
  { table: 'counters', columns: 'delete', reason: 'As under another name: found where operations have taken from it.' },
  {
    table: 'counters',
    columns: 'insert',
    reason: 'A counter without a raise can only refuse calls. An amount that it is raised by without a raise is found.',
  },
  ...['tool_transactions', 'tool_tickets'].flatMap((table): readonly Unbound[] => {
    const own = table === 'tool_tickets' ? 'until' : 'xact'
    const reason =
      'For whom a transaction of a tool works, while it does. It is of a moment, and gone after a crash; what the tool settles is bound.'
    return [
      { table, columns: [own, 'nonce', 'tenant'], reason },
      { table, columns: 'insert', reason },
      { table, columns: 'delete', reason },
    ]
  }),
  {
    table: 'repairs',
    columns: ['key', 'tenant', 'scope', 'version', 'state', 'last_call', 'refused_at'],
    reason:
      'How often a model was sent back to mend its arguments; forgotten after a week. A lower count lets it try again, through every gate. That it was halted is a question to people, which is bound.',
  },
  { table: 'repairs', columns: 'insert', reason: 'It can only halt a model.' },
  { table: 'repairs', columns: 'delete', reason: 'As a lower count.' },
  {
    table: 'facts',
    columns: ['xid'],
    reason:
      'In which order the sequencer comes to a group that is not in the log yet. What it passes over is found as unlogged, and what is in the log has its place there.',
  },
  {
    table: 'log_leaves',
    columns: ['entry'],
    reason:
      'Which facts a leaf is made of: found while they are there. Of a retirement, or of facts that were retired, it names nothing.',
  },
  {
    table: 'log_checkpoints',
    columns: ['at'],
    reason: 'When it was stored, for thinning; its own time is signed with it.',
  },
  {
    table: 'log_checkpoints',
    columns: 'delete',
    reason:
      'Of those older than a day one an hour is kept. That the newest is gone is found, and so are all that were kept elsewhere.',
  },
  {
    table: 'log_cursor',
    columns: ['xid', 'ticket', 'at'],
    reason:
      'How far the sequencer has come. What it has read twice is known by its leaf; what it passes over is found as unlogged.',
  },
  {
    table: 'witnesses',
    columns: ['id', 'number', 'at', 'ticket'],
    reason:
      'Compared with what is kept outside whenever the ledger is opened: where it is lower, nothing is written. Higher, it hides an older copy from that look, and not from verify with checkpoints kept elsewhere.',
  },
  { table: 'witnesses', columns: 'delete', reason: 'Found at the next opening, which refuses to write.' },
  { table: 'witnesses', columns: 'insert', reason: 'It belongs to no checkpoint that is kept.' },
  {
    table: 'migrations',
    columns: ['at'],
    reason: 'When a step was made. Its number, name and text are compared with this version.',
  },
  {
    table: 'migrations',
    columns: 'insert',
    reason: 'A step of a later version, which this one cannot judge. Opening refuses what does not fit.',
  },
  {
    table: 'functions',
    columns: ['at'],
    reason: 'When functions were made. Their layout and text are compared with this version.',
  },
  {
    table: 'functions',
    columns: 'insert',
    reason: 'Functions of another version, which work beside those of this one.',
  },
]

export const unboundColumns = (table: string): readonly string[] =>
  unbound.flatMap((row) => (row.table === table && typeof row.columns !== 'string' ? row.columns : []))

export const unboundReason = (table: string, change: Change, column?: string): string | undefined =>
  unbound.find(
    (row) =>
      row.table === table &&
      (change === 'edit'
        ? typeof row.columns !== 'string' && row.columns.includes(column ?? '')
        : row.columns === change),
  )?.reason
