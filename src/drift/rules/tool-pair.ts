// Two versions of a tool as the rules see them. Proofs are made once, and only where a rule asks for them.
import { canonicalize } from '../../json/canonical.ts'
import type { SchemaSnapshot, ToolSnapshot } from '../snapshot.ts'
import { type Difference, differences } from './differences.ts'
import { type FieldNotes, fieldNotes } from './field-notes.ts'
import type { SchemaPair, ToolPair } from './rule.ts'

export function toolPair(before: ToolSnapshot, after: ToolSnapshot): ToolPair {
  return {
    before,
    after,
    input: schemaPair(before.input, after.input),
    output: schemaPair(before.output, after.output),
  }
}

const none: Difference = { verdict: 'none' }

function schemaPair(before: SchemaSnapshot | undefined, after: SchemaSnapshot | undefined): SchemaPair {
  const changed = textOf(before) !== textOf(after)
  const lost = once(() => (changed ? differences(before, after) : none))
  const gained = once(() => (changed ? differences(after, before) : none))
  const [old, renewed] = [once(() => fieldNotes(before)), once(() => fieldNotes(after))]
  return {
    changed,
    get lost(): Difference {
      return lost()
    },
    get gained(): Difference {
      return gained()
    },
    get before(): FieldNotes {
      return old()
    },
    get after(): FieldNotes {
      return renewed()
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
