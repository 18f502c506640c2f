// One way to get from argument text to a tool's result; all of them run the same function.
export interface Contender {
  readonly name: string
  /** Calls the tool once per text. */
  run(texts: readonly string[]): Promise<void>
}
