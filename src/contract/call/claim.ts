// What a call takes from the ledger's counters with its admission, and what of it goes back where nothing happened.

/** What a call takes from one counter, if it fits: whole numbers, calls or millionths of a currency. */
export interface CounterClaim {
  /** Within its tenant. Claims under the same name are taken from the same counter. */
  readonly name: string
  readonly amount: number
  /** What may be taken in all, in one window. */
  readonly max: number
  /** The counter begins anew with each window, at whole multiples of its length; undefined: never. */
  readonly windowMs: number | undefined
  /** Whether it is given back when nothing happened. */
  readonly returns: boolean
  /** Named in a refusal. */
  readonly limit: string
  /** What is counted, in words for the model: `write calls of this run`. */
  readonly what: string
  /** Of amounts of money; undefined where calls are counted. */
  readonly currency: string | undefined
}

/** What an attempt has taken and gives back if nothing happened, to the window it came from: that of its admission. */
export interface Reserved {
  readonly name: string
  readonly amount: number
  readonly windowMs: number | undefined
}

export function reservedOf(claims: readonly CounterClaim[]): readonly Reserved[] {
  const reserved: Reserved[] = []
  for (const { name, amount, windowMs, returns } of claims) if (returns) reserved.push({ name, amount, windowMs })
  return reserved
}
