// Two versions of a tool as the rules see them. Proofs are made once, and only where a rule asks for them.
import { canonicalize } from '../../json/canonical.ts'
import { hashFields } from '../../json/hash.ts'
import { boundedCache } from '../../schema/bounded-cache.ts'
import type { SchemaSnapshot, ToolSnapshot } from '../snapshot.ts'
import { type Difference, differences } from './differences.ts'
import { changedNotes, declaredOnlyIn, fieldNotes, type NoteChange } from './field-notes.ts'
import type { SchemaPair, ToolPair } from './rule.ts'

export function toolPair(before: ToolSnapshot, after: ToolSnapshot): ToolPair {
  return {
    before,
    after,
    input: schemaPair(before.input, after.input),
    output: schemaPair(before.output, after.output),
  }
}

const lostWords = { r: 'The old schema', l: 'the new one' }
const gainedWords = { r: 'The new schema', l: 'the old one' }
const none: Difference = { verdict: 'none' }

/** Many tools of a list share their schemas, and a list is looked at again and again; proofs are the dear part. */
const known = boundedCache<Difference>(2_000)
const keyOf = (texts: readonly (string | undefined)[]): string =>
  hashFields(
    'drift',
    texts.map((text) => text ?? null),
  )

function schemaPair(before: SchemaSnapshot | undefined, after: SchemaSnapshot | undefined): SchemaPair {
  const texts = [textOf(before), textOf(after)] as const
  const changed = texts[0] !== texts[1]
  const lost = once(() =>
    changed ? known(keyOf(['lost', ...texts]), () => differences(before, after, lostWords)) : none,
  )
  const gained = once(() =>
    changed ? known(keyOf(['gained', ...texts]), () => differences(after, before, gainedWords)) : none,
  )
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

const textOf = (snapshot: SchemaSnapshot | undefined): string | undefined =>
  snapshot === undefined ? undefined : canonicalize([snapshot.dialect, snapshot.formats ?? 'annotate', snapshot.schema])

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
