// Whether a verifier can be carried out as it is written. It may come from a file or from code that no compiler has seen.
import { isPointer, tokensOf } from '../../json/pointer.ts'
import { effectRow } from '../effects.ts'
import type { Executor } from '../tool/executor.ts'
import type { Tool } from '../tool/tool.ts'
import {
  type BoundVerification,
  longestDelayMs,
  maxReadings,
  type Predicate,
  predicateOperators,
  predicateSubjects,
  type StateVerifier,
} from './verifier.ts'

const operators: ReadonlySet<string> = new Set(predicateOperators)
const subjects: ReadonlySet<string> = new Set(predicateSubjects)
const roots: ReadonlySet<string | undefined> = new Set(['args', 'result', 'before', 'call'])
const unary: ReadonlySet<string> = new Set(['exists', 'absent', 'changed'])

export function isBrokenVerifier({ contract, binding }: Pick<Tool, 'contract' | 'binding'>): boolean {
  const { verifier, state } = binding
  if (verifier === undefined) return false
  const { sources } = verifier
  const { mutates } = effectRow(contract.transactional.side_effect_class)
  if (sources.length === 0 || !areTimes(verifier) || (!mutates && isLater(verifier))) return true
  return sources.some((source) => {
    if (typeof source === 'function') return false
    if (source === 'state') return state?.after === undefined
    return isBrokenPlace(source, state !== undefined) || isCutOff(source, contract)
  })
}

/** A read has nothing to settle, so nothing would carry the reading. */
const isLater = ({ delayMs, again }: BoundVerification) => delayMs > 0 || again.times > 0

function areTimes({ delayMs, again }: BoundVerification): boolean {
  const { times, everyMs } = again
  const fits = (value: number, max: number) => Number.isInteger(value) && value >= 0 && value <= max
  return fits(delayMs, longestDelayMs) && fits(times, maxReadings) && fits(everyMs, longestDelayMs)
}

/** A reader that connects needs a contract that lets connections out, and connections that can be watched. */
const isCutOff = ({ read }: StateVerifier, contract: Tool['contract']) =>
  typeof read === 'object' &&
  read.connects === true &&
  (contract.security.egress_policy === 'none' || isUnwatched(read, contract))

/** Whether an executor opens connections that cannot be watched, under a contract that says where they may go. */
export const isUnwatched = (
  { connects, unwatched }: Pick<Executor, 'connects' | 'unwatched'>,
  { security }: Pick<Tool['contract'], 'security'>,
): boolean => unwatched === true && connects === true && security.egress_policy !== 'unrestricted_with_approval'

function isBrokenPlace({ target, read, expect }: StateVerifier, hasState: boolean): boolean {
  // An executor that might change something reads nothing back.
  const isRead = typeof read === 'function' || (typeof read?.run === 'function' && read.readsOnly === true)
  if (!isRead || !Array.isArray(expect) || expect.length === 0) return true
  const isTarget = typeof target === 'function' || Object.values(target).every((one) => isSource(one, hasState))
  return !isTarget || expect.some((predicate) => isBrokenPredicate(predicate, hasState))
}

function isBrokenPredicate({ path, is, value, from, about }: Predicate, hasState: boolean): boolean {
  if (!isPointer(path) || !operators.has(is) || (about !== undefined && !subjects.has(about))) return true
  if (unary.has(is)) return value !== undefined || from !== undefined || (is === 'changed' && !hasState)
  if (from !== undefined) return value !== undefined || !isSource(from, hasState)
  return value === undefined || (is === 'in' && !Array.isArray(value))
}

/** A place in the document of the call. What was there before is known only where the tool reads its state. */
function isSource(pointer: string, hasState: boolean): boolean {
  if (typeof pointer !== 'string' || !isPointer(pointer)) return false
  const [root] = tokensOf(pointer)
  return roots.has(root) && (root !== 'before' || hasState)
}
