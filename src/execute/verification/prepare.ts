// What is to be read for one call, and what must hold there: worked out while arguments, result and earlier state are at hand, so that
// a reading days later needs none of them.
import type {
  PreparedPredicate,
  PreparedSource,
  StateVerifier,
  VerifierSource,
} from '../../contract/verification/verifier.ts'
import { copyResult } from '../../json/copy.ts'
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { type CallDocument, preparePredicate, readCallDocument } from './predicates.ts'

export interface PrepareInput {
  readonly document: CallDocument
  /** What the tool's state reader says should be there afterwards; null where it does not say. */
  readonly foretold: JsonObject | null
}

export function prepareSource(source: VerifierSource, { document, foretold }: PrepareInput): PreparedSource {
  if (typeof source === 'function') return { kind: 'code' }
  if (source === 'state') return foretold === null ? { kind: 'lost' } : { kind: 'state', expect: asForetold(foretold) }
  const target = targetOf(source, document)
  if (target === undefined) return { kind: 'lost' }
  return { kind: 'read', target, expect: source.expect.map((predicate) => preparePredicate(predicate, document)) }
}

/** One predicate for each field that was foretold. */
const asForetold = (after: JsonObject): readonly PreparedPredicate[] =>
  Object.entries(after).map(([key, expected]) => ({
    path: appendPointer('', key),
    is: 'equals',
    about: 'value',
    expected,
  }))

/** Undefined where a part of it is not there: reading something else would be worse than reading nothing. */
function targetOf({ target }: StateVerifier, document: CallDocument): JsonObject | undefined {
  if (typeof target === 'function') {
    const copy = copyFromHost(() => target(document.args, document.result ?? null))
    return copy !== undefined && isObject(copy) ? copy : undefined
  }
  const found: Record<string, JsonValue> = {}
  for (const [name, pointer] of Object.entries(target)) {
    const value = readCallDocument(document, pointer)
    if (value === undefined || value === null) return undefined
    found[name] = value
  }
  return found
}

function copyFromHost(ask: () => unknown): JsonValue | undefined {
  try {
    const copy = copyResult(ask())
    return copy.ok ? copy.value : undefined
  } catch {
    return undefined
  }
}
