// How far a batch has come, by the order of its proposals: the first call that counts and has not passed. It only ever moves on, so that
// asking a thousand calls costs a thousand steps in all.

export interface Frontier {
  /** The first that counts and has not passed; the size of the batch where there is none. */
  at(): number
  pass(index: number): void
}

/** `counts` may turn from true to false for a call, never back. */
export function createFrontier(size: number, counts: (index: number) => boolean): Frontier {
  const passed = new Uint8Array(size)
  let at = 0
  return {
    at() {
      while (at < size && (passed[at] === 1 || !counts(at))) at++
      return at
    },
    pass(index) {
      passed[index] = 1
    },
  }
}
