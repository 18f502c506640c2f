// A prepared statement with its values as the server reads it: the messages Bind, Execute and Sync in one piece of memory, written once.
// Put together by the driver they are three pieces, and every text that goes as bytes is one more.

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
