// The answers of schema libraries' own validators, in one shape for all of them. A validator that throws or rejects refuses
// the value: its failure becomes an issue, without stack text.
import { isReadable } from './derivation.ts'

interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type LibraryOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export type Validate = (value: unknown) => LibraryOutcome | Promise<LibraryOutcome>

const longestMessage = 500

/** `run` is the library's validator, `read` turns what it returns into an outcome; neither may throw through. */
export function guardValidate(run: (value: unknown) => unknown, read: (result: unknown) => LibraryOutcome): Validate {
  return (value) => {
    try {
      const result = run(value)
      return hasThen(result) ? awaitOutcome(result, read) : read(result)
    } catch (error) {
      return thrown(error)
    }
  }
}

async function awaitOutcome(
  result: PromiseLike<unknown>,
  read: (result: unknown) => LibraryOutcome,
): Promise<LibraryOutcome> {
  try {
    return read(await result)
  } catch (error) {
    return thrown(error)
  }
}

/** A Standard Schema result: falsy `issues` means success, whether or not a value is there as well. */
export function readStandardResult(result: unknown): LibraryOutcome {
  if (!isReadable(result)) return refusedWith('The validator returned no result.')
  if (result.issues) return { ok: false, issues: readIssues(result.issues) }
  return { ok: true, value: result.value }
}

/** An AI SDK result: `{ success, value }` or `{ success: false, error }`, the library's issues lying in the error. */
export function readSdkResult(result: unknown): LibraryOutcome {
  if (!isReadable(result)) return refusedWith('The validator returned no result.')
  if (result.success === true) return { ok: true, value: result.value }
  const { error } = result
  if (!isReadable(error)) return refusedWith('The value was refused without a reason.')
  const cause = error.cause
  const issues = [error.issues, cause, isReadable(cause) ? cause.issues : undefined].find(Array.isArray)
  return issues === undefined
    ? refusedWith(messageText(error.message) ?? 'The value was refused.')
    : { ok: false, issues: readIssues(issues) }
}

export function hasThen(value: unknown): value is PromiseLike<unknown> {
  return isReadable(value) && typeof value.then === 'function'
}

function readIssues(issues: unknown): readonly Issue[] {
  if (!Array.isArray(issues) || issues.length === 0) return [{ path: [], message: 'The value was refused.' }]
  return issues.map((issue: unknown) => {
    const { message, path } = isReadable(issue) ? issue : {}
    return { path: readPath(path), message: messageText(message) ?? 'The value was refused.' }
  })
}

/** Segments are keys, or objects that carry one. */
function readPath(path: unknown): readonly (string | number)[] {
  if (!Array.isArray(path)) return []
  return path.map((segment: unknown) => {
    const key = isReadable(segment) ? segment.key : segment
    return typeof key === 'number' ? key : typeof key === 'symbol' ? (key.description ?? '') : String(key)
  })
}

function thrown(error: unknown): LibraryOutcome {
  const { name, message } = isReadable(error) ? error : {}
  const words = [messageText(name) ?? 'an exception', messageText(message)].filter((word) => word !== undefined)
  return refusedWith(`The validator threw ${words.join(': ')}`)
}

function refusedWith(message: string): LibraryOutcome {
  return { ok: false, issues: [{ path: [], message }] }
}

/** Libraries put whole stack traces into messages; no reader of an answer needs the first frame or what follows it. */
function messageText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  // Cut first: a message may be as long as the value that it complains about.
  const head = value.slice(0, longestMessage)
  const frame = head.search(/\n[^\S\n]+at /)
  return (frame === -1 ? head : head.slice(0, frame)).toWellFormed()
}
