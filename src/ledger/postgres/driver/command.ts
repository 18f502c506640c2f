// A prepared statement that returns no rows, sent in one piece and answered by a count. The driver's own query copies its options, asks
// what rows look like and builds a result for each; two of these are on the path of every call. The driver's port for queries of one's own
// is public, what it calls there is not: pg is pinned for that.
import type { Connection, Submittable } from 'pg'
import { bindMessage, type CommandValue } from './bind-message.ts'

export interface Command {
  readonly name: string
  readonly text: string
  readonly values: readonly CommandValue[]
  /** Called once, with how many rows the outermost insert or update has written. */
  readonly ended: (error: Error | undefined, written: number) => void
}

export function submittable({ name, text, values, ended }: Command): Submittable {
  let written = 0
  let isOver = false
  // What is sent is not kept until the answer.
  let unsent = values
  // A connection may be lost after it has failed a statement.
  const end = (error: Error | undefined) => {
    if (isOver) return
    isOver = true
    ended(error, written)
  }
  return {
    name,
    text,
    /** What it returns is an error that the driver hands to handleError. */
    submit(connection: Connection): Error | null {
      const wire = connection as unknown as Wire
      try {
        const message = bindMessage(name, unsent)
        unsent = []
        // The driver notes it as prepared when the server says so.
        if (wire.parsedStatements[name] === undefined) wire.parse({ name, text })
        // One that is gone says so to all that wait for it.
        if (wire.stream.writable) wire.stream.write(message)
        return null
      } catch (error) {
        // What prepares it may be on its way without the rest: the one who gets this error lets go of the connection.
        return error instanceof Error ? error : new Error(String(error))
      }
    },
    handleCommandComplete({ text: tag }: { readonly text: string }): void {
      // Such as `INSERT 0 16`.
      written = Number(tag.slice(tag.lastIndexOf(' ') + 1))
    },
    handleReadyForQuery(): void {
      end(undefined)
    },
    handleError(error: Error): void {
      end(error)
    },
    handleRowDescription() {},
    handleDataRow() {},
    handlePortalSuspended() {},
    handleEmptyQuery() {},
  } satisfies Submittable & Handlers as Submittable
}

interface Handlers {
  readonly name: string
  readonly text: string
  handleCommandComplete(message: { readonly text: string }): void
  handleReadyForQuery(): void
  handleError(error: Error): void
  handleRowDescription(): void
  handleDataRow(): void
  handlePortalSuspended(): void
  handleEmptyQuery(): void
}

/** What of a connection is used here, as the driver's own query does. */
interface Wire {
  readonly stream: { readonly writable: boolean; write(message: Buffer): unknown }
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  parse(message: { readonly name: string; readonly text: string }): void
}
