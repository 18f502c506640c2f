// What an executor returns where some of its work is done and some is not. Marked with a symbol, which no JSON from outside can carry:
// only code of ours or of the host's says that something was done in part.

/** One step of a call's work, named as a person would name it. */
export interface PartialStep {
  readonly name: string
  /** Of a failed step: what a program may branch on. */
  readonly code?: string | undefined
  /** Of a failed step: what went wrong, in a sentence. */
  readonly message?: string | undefined
}

export interface PartialResult {
  readonly [partialMark]: true
  readonly completed: readonly PartialStep[]
  readonly failed: readonly PartialStep[]
  /** The result as far as there is one; it has to fit the output schema. */
  readonly value: unknown
}

/** One symbol for every copy of this package in a process. */
const partialMark: unique symbol = Symbol.for('proviso.partial-result')

/** A model reads the steps: what is longer is cut, once secrets are out of it. Half of one would not be found. */
const maxSteps = 100
export const maxStepText = { name: 200, code: 64, message: 2_000 } as const

/** Nothing failed: then it is a plain success with this value. */
export function partialResult(parts: {
  readonly completed: readonly (string | PartialStep)[]
  readonly failed: readonly (string | PartialStep)[]
  readonly value?: unknown
}): PartialResult {
  return {
    [partialMark]: true,
    completed: stepsOf(parts.completed),
    failed: stepsOf(parts.failed),
    value: parts.value,
  }
}

export function isPartialResult(value: unknown): value is PartialResult {
  return typeof value === 'object' && value !== null && (value as Partial<PartialResult>)[partialMark] === true
}

/** Of very many the first are named, and the rest is counted. */
function stepsOf(given: readonly (string | PartialStep)[]): readonly PartialStep[] {
  if (given.length <= maxSteps) return given.map(stepOf)
  const rest = given.length - maxSteps + 1
  return [...given.slice(0, maxSteps - 1).map(stepOf), { name: `and ${rest} more` }]
}

function stepOf(given: string | PartialStep): PartialStep {
  const { name, code, message } = typeof given === 'string' ? { name: given } : given
  return {
    name: String(name),
    ...(code === undefined ? {} : { code: String(code) }),
    ...(message === undefined ? {} : { message: String(message) }),
  }
}
