// Reads the sources of a verification and says of each what it shows. Code of the host reads: a reading ends in time in any case, and one
// that fails shows nothing, because unknown is not failed.
import { ToolError } from '../../contract/fault.ts'
import type { Awaitable, Executor, Verification, Verifier, VerifierContext } from '../../contract/tool/executor.ts'
import type { Discrepancy } from '../../contract/verification/verification.ts'
import type {
  PreparedPredicate,
  PreparedSource,
  StateVerifier,
  VerifierSource,
} from '../../contract/verification/verifier.ts'
import { copyResult, ownCopy } from '../../json/copy.ts'
import { tokensOf } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { copyOfResult } from '../scrub/own-result.ts'
import { scrubValue } from '../scrub/scrub-value.ts'
import { createScrubber, type Scrubber } from '../scrub/scrubber.ts'
import { within } from '../within.ts'
import { discrepancyOf, discrepancyRows, isUnchanged, type ObservedState } from './discrepancy.ts'
import { holds } from './predicates.ts'

export interface ReadBackInput {
  readonly sources: readonly VerifierSource[]
  readonly prepared: readonly PreparedSource[]
  /** A new copy for each reader. */
  args(): JsonObject
  readonly result: JsonValue
  readonly before: JsonObject | null | undefined
  readonly reported: ObservedState['reported']
  readonly timeoutMs: number
  readonly context: Omit<VerifierContext, 'signal' | 'credentials'>
  /** Finds the secrets of this reading. It throws where one cannot be had. */
  credentials(signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Whether something can undo the effect. */
  readonly compensable: boolean
  /** The tool's own state reader, where it has one. */
  readonly readState: ((args: JsonObject) => Awaitable<JsonObject | null>) | undefined
  /** Runs an executor that reads, with what executors are given. */
  runReader(
    executor: Executor,
    target: JsonObject,
    signal: AbortSignal,
    credentials: ReadonlyMap<string, string>,
  ): Awaitable<unknown>
}

export interface JudgedSource {
  readonly kind: 'found'
  readonly source: string
  /** Null: as it should be. */
  readonly discrepancy: Discrepancy | null
  readonly message: string
  readonly unmet: readonly string[]
  readonly unexpected: readonly string[]
  /** No trace of the effect. */
  readonly absent: boolean
  /** Held against what was there before. */
  readonly compared: boolean
  /** Confirmed by a record of what was done, by whom or under which key. */
  readonly audited: boolean
}

export type SourceFinding =
  | JudgedSource
  | { readonly kind: 'unreadable'; readonly source: string; readonly late: boolean; readonly message: string }

export function readBack(input: ReadBackInput): Promise<readonly SourceFinding[]> {
  return Promise.all(input.sources.map((source, index) => readSource(source, index, input)))
}

interface NamedSource {
  readonly name: string
  readonly source: VerifierSource
  readonly prepared: Exclude<PreparedSource, { kind: 'lost' }>
}

async function readSource(source: VerifierSource, index: number, input: ReadBackInput): Promise<SourceFinding> {
  const name = sourceName(source, index)
  const prepared = input.prepared[index] ?? { kind: 'lost' }
  if (prepared.kind === 'lost') return unreadSource(name, 'What to read cannot be told.')
  const abort = new AbortController()
  try {
    const reading = readWithSecrets({ name, source, prepared }, input, abort.signal)
    return await within(input.timeoutMs, reading, () => abort.abort())
  } catch (error) {
    const late = abort.signal.aborted
    const why = isSecretMissing(error) ? 'A credential that it needs cannot be had.' : 'It could not be read.'
    return { ...unreadSource(name, late ? 'It did not answer in time.' : why), late }
  }
}

const isSecretMissing = (error: unknown) => error instanceof ToolError && error.code.startsWith('credential_')

/** The code that reads has the secrets only for as long as the reading takes. */
async function readWithSecrets(named: NamedSource, input: ReadBackInput, signal: AbortSignal): Promise<SourceFinding> {
  const handed = new Map(await input.credentials(signal))
  // Code that goes on beyond its time has none any more.
  signal.addEventListener('abort', () => handed.clear(), { once: true })
  try {
    return await judgeSource(named, input, {
      signal,
      credentials: handed,
      scrubber: createScrubber(new Map(handed)),
    })
  } finally {
    handed.clear()
  }
}

interface SourceReader {
  readonly signal: AbortSignal
  readonly credentials: ReadonlyMap<string, string>
  readonly scrubber: Scrubber
}

function sourceName(source: VerifierSource, index: number): string {
  if (source === 'state') return 'state'
  return typeof source === 'function' ? `verifier ${index + 1}` : (source.source ?? `source ${index + 1}`)
}

const unreadSource = (source: string, message: string) =>
  ({ kind: 'unreadable', source, late: false, message }) as const

async function judgeSource(
  { name, source, prepared }: NamedSource,
  input: ReadBackInput,
  reader: SourceReader,
): Promise<SourceFinding> {
  if (typeof source === 'function') return askCode(source, name, input, reader)
  const expect = prepared.kind === 'code' ? [] : prepared.expect
  const isOwn = source === 'state'
  const state = isOwn
    ? await input.readState?.(input.args())
    : await readPlace(source, prepared.kind === 'read' ? prepared.target : {}, input, reader)
  // Nothing is not null: a reader that returns nothing has not said that there is nothing.
  const copy = state === undefined ? undefined : copyResult(state)
  if (copy?.ok !== true || !(copy.value === null || isObject(copy.value)))
    return unreadSource(name, 'What was read is no state.')
  const reading = readingOf(copy.value, expect, isOwn ? false : source.creates === true, input)
  return judgedSource(reading, name, isOwn ? 'state' : source)
}

function readPlace(
  source: StateVerifier,
  target: JsonObject,
  input: ReadBackInput,
  { signal, credentials }: SourceReader,
): Awaitable<unknown> {
  const { read } = source
  return typeof read === 'function'
    ? read(ownCopy(target), { ...input.context, signal, credentials })
    : input.runReader(read, ownCopy(target), signal, credentials)
}

function readingOf(
  state: JsonObject | null,
  expect: readonly PreparedPredicate[],
  creates: boolean,
  { before, reported }: ReadBackInput,
): ObservedState {
  const judged = expect.filter(({ undetermined }) => undetermined !== true)
  const met = state === null ? [] : judged.filter((predicate) => holds(predicate, state))
  const unmet = judged.filter((predicate) => !met.includes(predicate))
  return { state, before, creates, reported, met, unmet, undetermined: expect.length - judged.length }
}

const meanings: ReadonlyMap<Discrepancy, string> = new Map(
  discrepancyRows.map(({ discrepancy, meaning }) => [discrepancy, meaning]),
)

function judgedSource(reading: ObservedState, name: string, source: StateVerifier | 'state'): SourceFinding {
  const { state, before, creates, met, unmet, reported, undetermined } = reading
  // With what it compares with gone, a reading that succeeds says less than was asked of it.
  if (reported === 'success' && undetermined > 0) return unreadSource(name, 'What it compares with is not there.')
  const discrepancy = discrepancyOf(reading)
  if (discrepancy === 'unknown') return unreadSource(name, meanings.get('unknown') ?? '')
  const proves = met.some(({ about }) => about === 'actor' || about === 'key')
  return {
    kind: 'found',
    source: name,
    discrepancy,
    message: discrepancy === null ? '' : (meanings.get(discrepancy) ?? ''),
    unmet: unmet.map(({ path, is }) => `${name}: ${path === '' ? 'the state' : path} ${is.replaceAll('_', ' ')}`),
    unexpected: source === 'state' ? unexpectedOf(reading) : [],
    absent: state === null && creates,
    compared: before !== undefined && (source === 'state' || met.length > 0),
    audited: source !== 'state' && source.audit === true && proves && unmet.length === 0,
  }
}

/** What has changed although nothing was expected of it. */
function unexpectedOf({ state, before, met, unmet }: ObservedState): readonly string[] {
  if (state === null || before === undefined || before === null) return []
  const expected = new Set([...met, ...unmet].map(({ path }) => tokensOf(path)[0]))
  const names = new Set([...Object.keys(state), ...Object.keys(before)])
  return [...names].filter((key) => !expected.has(key) && !isUnchanged(state[key], before[key]))
}

const statuses: ReadonlySet<string> = new Set(['verified', 'partial', 'failed', 'absent'])

async function askCode(
  verifier: Verifier,
  name: string,
  input: ReadBackInput,
  reader: SourceReader,
): Promise<SourceFinding> {
  const { signal, credentials, scrubber } = reader
  const answer = await verifier(input.args(), ownCopy(input.result), { ...input.context, signal, credentials })
  // Its words go into records and answers.
  const verification = scrubValue(copyOfResult(answer).value, scrubber).value as Verification
  if (!isObject(verification) || !statuses.has(verification.status))
    return unreadSource(name, 'It gave no answer that is one.')
  const { status } = verification
  const message = 'message' in verification && typeof verification.message === 'string' ? verification.message : ''
  return {
    kind: 'found',
    source: name,
    discrepancy: discrepancyByCode(verification, input),
    message,
    unmet: status === 'verified' ? [] : [name],
    unexpected: [],
    absent: status === 'absent',
    compared: false,
    audited: false,
  }
}

function discrepancyByCode(verification: Verification, { reported, compensable }: ReadBackInput): Discrepancy | null {
  switch (verification.status) {
    case 'verified':
      return reported === 'failure' ? 'no_op_failure' : null
    case 'partial':
      return verification.discrepancy ?? 'partial_application'
    case 'absent':
      return verification.discrepancy ?? 'no_op_success'
    case 'failed':
      return verification.discrepancy ?? (compensable ? 'compensation_required' : 'unknown')
  }
}
