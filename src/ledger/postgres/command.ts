// A prepared statement that returns no rows, as the driver sends it: three messages and a count. The driver's own query copies its
// options, asks what rows look like and builds a result for each; two of these are on the path of every call.
import type { Connection, Submittable } from 'pg'

export type CommandEnd = (error: Error | null | undefined, written: number) => void

export class Command implements Submittable {
  readonly name: string
  readonly text: string
  /** The driver puts its time limit around it. */
  callback: CommandEnd
  readonly #values: readonly unknown[]
  #written = 0

  constructor(name: string, text: string, values: readonly unknown[], callback: CommandEnd) {
    this.name = name
    this.text = text
    this.callback = callback
    this.#values = values
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire
    const { name, text } = this
    wire.stream.cork()
    try {
      // The driver notes it as prepared when the server says so.
      if (wire.parsedStatements[name] === undefined) wire.parse({ name, text })
      wire.bind({ statement: name, values: this.#values, valueMapper: wireValue })
      wire.execute({})
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    // Such as `INSERT 0 16`.
    this.#written = Number(text.slice(text.lastIndexOf(' ') + 1))
  }

  handleReadyForQuery(): void {
    this.callback(undefined, this.#written)
  }

  handleError(error: Error): void {
    this.callback(error, 0)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}

/** What of a connection is used here: the messages, as the driver's own query sends them. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: {
    readonly statement: string
    readonly values: readonly unknown[]
    readonly valueMapper: (value: unknown) => unknown
  }): void
  execute(message: object): void
  sync(): void
}

const wireValue = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value)
