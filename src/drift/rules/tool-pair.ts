// Two versions of a tool as the rules see them. Proofs are made once, and only where a rule asks for them.

import { boundedCache } from '../../json/bounded-cache.ts'
import { canonicalize } from '../../json/canonical.ts'
import { hashFields } from '../../json/hash.ts'
import type { SchemaSnapshot, ToolSnapshot } from '../snapshot.ts'
import { changedNotes, declaredOnlyIn, fieldNotes, type NoteChange } from './field-notes.ts'
import type { SchemaPair, ToolPair } from './rule.ts'
import { type Difference, enoughSteps, type ProofAllowance, schemaDifference } from './schema-difference.ts'

export function toolPair(before: ToolSnapshot, after: ToolSnapshot, allowance: ProofAllowance): ToolPair {
  return {
    before,
    after,
    input: schemaPair(before.input, after.input, allowance),
    output: schemaPair(before.output, after.output, allowance),
  }
}

const lostWords = { r: 'The old schema', l: 'the new one' }
const gainedWords = { r: 'The new schema', l: 'the old one' }
const none: Difference = { verdict: 'none' }

/** Many tools of a list share their schemas, and a list is looked at again and again; proofs are the dear part. */
const known = boundedCache<Difference>(2_000)
const proofKey = (texts: readonly (string | undefined)[]): string =>
  hashFields(
    'drift',
    texts.map((text) => text ?? null),
  )

function schemaPair(
  before: SchemaSnapshot | undefined,
  after: SchemaSnapshot | undefined,
  allowance: ProofAllowance,
): SchemaPair {
  const texts = [schemaText(before), schemaText(after)] as const
  const changed = texts[0] !== texts[1]
  const proven = (way: string, ask: () => Difference) => {
    if (!changed) return none
    // What others have left too little work for may be told another time.
    return allowance.left < enoughSteps ? ask() : known(proofKey([way, ...texts]), ask)
  }
  const lost = once(() => proven('lost', () => schemaDifference(before, after, lostWords, allowance)))
  const gained = once(() => proven('gained', () => schemaDifference(after, before, gainedWords, allowance)))
  const [old, renewed] = [once(() => fieldNotes(before)), once(() => fieldNotes(after))]
  const notes = once(() => (changed ? changedNotes(old(), renewed()) : []))
  const added = once(() => (changed ? declaredOnlyIn(renewed(), old()) : []))
  const removed = once(() => (changed ? declaredOnlyIn(old(), renewed()) : []))
  return {
    changed,
    get lost(): Difference {
      return lost()
    },
    get gained(): Difference {
      return gained()
    },
    get notes(): readonly NoteChange[] {
      return notes()
    },
    get added(): readonly string[] {
      return added()
    },
    get removed(): readonly string[] {
      return removed()
    },
    get complete(): boolean {
      return old().complete && renewed().complete
    },
  }
}

const schemaText = (snapshot: SchemaSnapshot | undefined): string | undefined =>
  snapshot === undefined ? undefined : canonicalize([snapshot.dialect, snapshot.formats ?? 'annotate', snapshot.schema])

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
