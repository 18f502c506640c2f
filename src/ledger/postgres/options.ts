// The options of a ledger on Postgres, and its address. Options that make no sense are refused before anything is opened.
import pg, { type PoolConfig } from 'pg'
import { Fault } from '../../contract/fault.ts'
import {
  anObject,
  asIs,
  callback,
  checkOptions,
  having,
  milliseconds,
  never,
  nonEmptyText,
  type OptionTable,
  oneOf,
  optionsIn,
  trueOrFalse,
  wholeNumber,
} from '../../contract/options.ts'
import type { Clock } from '../../json/clock.ts'
import type { OutsideCheckpoint } from '../ports/outside.ts'
import type { LogOptions } from './log/open-log.ts'

export interface PostgresOptions {
  /** Connections of this process; 10 by default. */
  readonly connections?: number
  /** For how long an attempt counts as alive after its process was last heard of; 15 s by default. */
  readonly leaseMs?: number
  /** How long a call waits for a database that is gone; 10 s by default. */
  readonly patienceMs?: number
  /** A connection on which an answer is owed for so long counts as lost; 15 s by default, 0: for ever. */
  readonly answerMs?: number
  readonly clock?: Clock
  /** The transparency log of what is recorded here. */
  readonly log?: LogOptions
  /** Kept outside of the database: by it an older copy, as of a backup, is known, and not written to before a person has acknowledged that. */
  readonly checkpoint?: OutsideCheckpoint
  /** Calls older than this lose their content, by whole weeks; kept for ever by default. */
  readonly retentionDays?: number
  /** How tools log in that commit with the ledger: a role of their own, with rights to their tables and to none of the ledger's. */
  readonly toolUrl?: string
  /** Whether the tables are made where there are none; otherwise that is an error. */
  readonly make?: boolean
  /** More options of the driver, such as certificates; in place of its `query_timeout` there is `answerMs`. Lifetimes of connections are kept to within ten seconds. */
  readonly driver?: Omit<PoolConfig, OwnDriverOption>
  /** Called with failures behind the calls: of sequencing the log, of upkeep. */
  readonly onFault?: (fault: unknown) => void
  /** Called when the ledger is closed. */
  readonly onClose?: () => Promise<void>
}

/** The options of the driver that the ledger sets itself. */
type OwnDriverOption = 'connectionString' | 'max' | 'pipeline' | 'maxUses' | 'allowExitOnIdle' | 'query_timeout'

const logOptions: OptionTable<LogOptions> = {
  keyFile: nonEmptyText('Give the path of a file.'),
  checkpoints: nonEmptyText('Give the path of a file, or a URL.'),
  sequence: trueOrFalse,
}

/** All that the driver takes, and no more: it says nothing of a name that it does not know. */
const driverOptions: OptionTable<Required<PoolConfig> & Record<OwnDriverOption, unknown>> = {
  user: asIs,
  database: asIs,
  password: asIs,
  port: wholeNumber(1, 65_535),
  host: asIs,
  keepAlive: trueOrFalse,
  stream: callback,
  statement_timeout: asIs,
  ssl: asIs,
  enableChannelBinding: trueOrFalse,
  sslnegotiation: oneOf('postgres', 'direct'),
  lock_timeout: milliseconds(0),
  keepAliveInitialDelayMillis: milliseconds(0),
  idle_in_transaction_session_timeout: milliseconds(0),
  application_name: asIs,
  fallback_application_name: asIs,
  connectionTimeoutMillis: milliseconds(0),
  types: anObject,
  options: asIs,
  client_encoding: asIs,
  min: wholeNumber(0, 10_000),
  idleTimeoutMillis: asIs,
  log: callback,
  Promise: callback,
  maxLifetimeSeconds: wholeNumber(0, 86_400, 'seconds'),
  Client: callback,
  onConnect: callback,
  verify: callback,
  connectionString: never('Leave it out: the URL is the first argument.'),
  max: never('Leave it out, and say with connections how many there are.'),
  pipeline: never('Leave it out: the ledger does not work with it.'),
  maxUses: never('Leave it out, and give driver.maxLifetimeSeconds.'),
  allowExitOnIdle: never('Leave it out: a ledger is open until it is closed.'),
  query_timeout: never('Leave it out, and say with answerMs how long an answer is waited for.'),
}

export const postgresOptions: OptionTable<PostgresOptions> = {
  connections: wholeNumber(1, 10_000),
  leaseMs: milliseconds(50),
  patienceMs: milliseconds(0),
  answerMs: { ...milliseconds(0), write: 'Give milliseconds, or 0 to wait for ever: a whole number up to 86,400,000.' },
  clock: having('a clock', 'now', 'monotonic'),
  log: optionsIn(logOptions),
  checkpoint: having('a checkpoint, such as fileCheckpoint(path)', 'read', 'write'),
  retentionDays: wholeNumber(1, 36_500, 'days'),
  toolUrl: nonEmptyText('Give a URL such as postgres://role@host:5432/database.'),
  make: trueOrFalse,
  driver: optionsIn(driverOptions),
  onFault: callback,
  onClose: callback,
}

/** Throws a Fault where this is no place of a database, or no options. */
export function checkPostgres(url: unknown, options: unknown): void {
  if (typeof url !== 'string') throw noUrl(`The URL of the database is ${url === null ? 'null' : typeof url}.`)
  if (url.trim() === '') throw noUrl('The URL of the database is empty. Is a variable of the environment not set?')
  if (!/^postgres(?:ql)?:\/\/./i.test(url)) throw noUrl('The URL of the database does not begin with postgres://.')
  checkOptions('postgres', postgresOptions, options)
  const { toolUrl } = options as PostgresOptions
  try {
    // It opens no connection before it is told to.
    new pg.Client({ connectionString: url })
    if (toolUrl !== undefined) new pg.Client({ connectionString: toolUrl })
  } catch {
    // Its own error may show the password.
    throw noUrl(
      'The URL of the database cannot be read. A password in it has @, :, / and % written as %40, %3A, %2F, %25.',
    )
  }
}

const noUrl = (what: string): Fault =>
  new Fault('bad_options', `postgres: ${what} Give one such as postgres://user@host:5432/database.`)
