import fc from 'fast-check'
import pg from 'pg'
import { expect, it } from 'vitest'
import { Bytes, bindMessage, type CommandValue } from './command.ts'

/** As the driver would send it, but that no format is asked for of rows that do not come. */
function byDriver(statement: string, values: readonly CommandValue[]): Buffer {
  const pieces: Buffer[] = []
  const stream = { writable: true, write: (piece: Buffer) => pieces.push(piece) }
  const wire = new pg.Connection({ stream } as unknown as pg.ConnectionConfig) as unknown as Wire
  const mapped = values.map((value) => (value instanceof Bytes ? Buffer.from(value.text) : value))
  wire.bind({ statement, values: mapped, valueMapper: (value) => (typeof value === 'number' ? String(value) : value) })
  wire.execute({})
  wire.sync()
  const [bind = Buffer.alloc(0), ...others] = pieces
  const end = bind.length - 4
  expect(bind.subarray(end)).toEqual(Buffer.from([0, 1, 0, 0]))
  const message = Buffer.concat([bind.subarray(0, end), Buffer.from([0, 0])])
  message.writeInt32BE(message.length - 1, 1)
  return Buffer.concat([message, ...others])
}

interface Wire {
  bind(message: {
    readonly statement: string
    readonly values: readonly unknown[]
    readonly valueMapper: (value: unknown) => unknown
  }): void
  execute(message: object): void
  sync(): void
}

const text = fc.string({ unit: 'binary', maxLength: 200 })
const value: fc.Arbitrary<CommandValue> = fc.oneof(
  text,
  text.map((bytes) => new Bytes(bytes)),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.double(),
  fc.constant(null),
)

it('is what the driver sends', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), fc.array(value, { maxLength: 40 }), (statement, values) => {
      expect(bindMessage(statement, values)).toEqual(byDriver(statement, values))
    }),
  )
})

it('takes what does not fit the place where most are written', () => {
  for (const long of ['x', '\u20ac', '\ud83d\ude00', '\ud800'].map((letter) => letter.repeat(40_000))) {
    const values = [long, null, new Bytes(long), Buffer.from(long), -1.5e-300]
    expect(bindMessage('long', values).equals(byDriver('long', values))).toBe(true)
  }
})

it('gives every statement memory of its own', () => {
  const first = bindMessage('a', ['one'])
  const copy = Buffer.from(first)
  bindMessage('b', ['two'])
  expect(first.equals(copy)).toBe(true)
})
