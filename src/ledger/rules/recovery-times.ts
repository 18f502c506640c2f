// How long who may do what about a lost attempt. Every engine and every check takes these from here.

/** The executor of a claimed operation is started within so long after it was asked for. */
const startMs = 5_000

/** Started in time, it may act until its timeout is over. */
export const restartLeaseMs = (timeoutMs: number): number => startMs + timeoutMs

/** Beyond the timeout, for what has to be written then. */
const marginMs = 30_000

/** After a start of its own, a process is left alone with the operation for so long. */
export const restartLookMs = (timeoutMs: number): number => restartLeaseMs(timeoutMs) + marginMs

/** An operation that a process is given to find out about is given to no other for so long. */
export const claimMs = 60_000

/** An attempt whose end is not known is looked at again after this time: the more often it was started, the later. */
export const lookAgainMs = (starts: number): number => Math.min(60_000, 500 * 2 ** Math.min(starts, 10))

/** The same in Postgres. */
export const lookAgainSql = (starts: string): string => `least(60000, 500 * 2 ^ least(${starts}, 10))`

/** The process that has looked before may look again first, by this much. */
export const watcherMs = 5_000

/** After this time people are asked about a lost attempt that is not recovered: because no process knows its contract, or because it fails. */
export const orphanMs = 600_000
