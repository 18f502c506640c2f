// A place in a text that holds a secret.

export interface Found {
  readonly start: number
  readonly end: number
  /** The name under which the secret was handed out; empty for one that only looks like a secret. */
  readonly name: string
}
