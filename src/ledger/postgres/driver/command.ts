// A prepared statement that returns no rows, sent in one piece and answered by a count. The driver's own query copies its options, asks
// what rows look like and builds a result for each; two of these are on the path of every call. The driver's port for queries of one's own
// is public, what it calls there is not: pg is pinned for that.
import type { Connection, Submittable } from 'pg'

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

// The messages Bind, Execute and Sync in one piece of memory, written once. Put together by the driver they are three pieces, and every
// text that goes as bytes is one more.

/** A text whose UTF-8 bytes are the value, as a bytea takes them. */
export class Bytes {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What the wire takes as it is; numbers are written as texts. */
export type CommandValue = string | number | Buffer | Bytes | null

/** Writing is synchronous, so one place serves all statements that fit; what is sent is a copy. */
const desk = Buffer.allocUnsafe(32_768)

const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])

const isBinary = (value: CommandValue) => value instanceof Bytes || Buffer.isBuffer(value)

/** No formats of results are named: the statement returns no rows. */
export function bindMessage(statement: string, values: readonly CommandValue[]): Buffer {
  const room = roomFor(statement, values)
  const bytes = room <= desk.length ? desk : Buffer.allocUnsafe(room)
  bytes[0] = 0x42
  // The portal without a name, and the statement's.
  bytes[5] = 0
  let at = 6 + bytes.write(statement, 6)
  bytes[at++] = 0
  at = bytes.writeUInt16BE(values.length, at)
  for (const value of values) at = bytes.writeUInt16BE(isBinary(value) ? 1 : 0, at)
  at = bytes.writeUInt16BE(values.length, at)
  for (const value of values) at = writeValue(bytes, value, at)
  at = bytes.writeUInt16BE(0, at)
  bytes.writeInt32BE(at - 1, 1)
  bytes.set(executeAndSync, at)
  at += executeAndSync.length
  return bytes === desk ? Buffer.from(desk.subarray(0, at)) : bytes.subarray(0, at)
}

function writeValue(bytes: Buffer, value: CommandValue, at: number): number {
  if (value === null) return bytes.writeInt32BE(-1, at)
  if (Buffer.isBuffer(value)) {
    bytes.writeInt32BE(value.length, at)
    bytes.set(value, at + 4)
    return at + 4 + value.length
  }
  const length = bytes.write(parameterText(value), at + 4)
  bytes.writeInt32BE(length, at)
  return at + 4 + length
}

function parameterText(value: string | number | Bytes): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : value.text
}

/** At most three bytes for each unit of a text, and the longest number has 25 letters. */
function roomFor(statement: string, values: readonly CommandValue[]): number {
  let room = 32 + statement.length * 3 + executeAndSync.length
  for (const value of values) {
    room += 6
    if (typeof value === 'string') room += value.length * 3
    else if (value instanceof Bytes) room += value.text.length * 3
    else if (Buffer.isBuffer(value)) room += value.length
    else room += 25
  }
  return room
}
