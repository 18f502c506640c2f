// One way to do a tool call's effect at most once and to keep its record: all of them survive a power cut, and all run the same function.
export interface Contender {
  readonly name: string
  /** One call, durable from beginning to end. `lane` is the caller, who makes one call at a time; no two calls have the same number. */
  call(number: number, lane: number): Promise<void>
  /** What it owes for its calls and does beside them; a round lasts until it is done. */
  beside?(endsAt: number): Promise<void>
  /** Before and after each of its rounds, outside of their time: for what would go on beside the rounds of others. */
  wake?(): Promise<void>
  rest?(): Promise<void>
  close(): Promise<void>
}
