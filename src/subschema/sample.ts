// Values that obey a schema, unlike each other and at its edges: each goal asks the solver for a value of one kind more.
// Deterministic for a seed; every value was accepted by the validator.
import { canonicalize } from '../json/canonical.ts'
import type { JsonValue } from '../json/value.ts'
import type { Preprocessed } from '../schema/normal.ts'
import { compileValidator } from '../schema/validator.ts'
import { defaultBudget } from './is-subschema.ts'
import { oversize } from './oversize.ts'
import { goalsOf } from './sample-goals.ts'
import { createSeeded } from './seeded.ts'
import { createEngine } from './solver.ts'
import { varyValue } from './vary.ts'

export function sample(schema: Preprocessed, count: number, seed = 1): readonly JsonValue[] {
  if (oversize(schema, schema) !== undefined) return []
  const seeded = createSeeded(seed)
  const engine = createEngine(schema, schema, defaultBudget)
  const { matches } = compileValidator(schema)
  const root = engine.pool.claimOf(schema.root, schema)
  const values = new Map<string, JsonValue>()
  const keep = (value: JsonValue): void => {
    if (values.size < count && matches(value)) values.set(canonicalize(value), value)
  }
  const plain = engine.solve([root])
  if (plain.kind === 'value') keep(plain.value)
  for (const goal of seeded.shuffle(goalsOf(schema))) {
    if (values.size >= count) break
    const outcome = engine.solve([root, engine.pool.claimOf(goal, schema)])
    if (outcome.kind === 'value') keep(outcome.value)
  }
  // Where the goals were too few, small changes of what they led to.
  for (let round = 0; round < count * 30 && values.size < count && values.size > 0; round++) {
    const known = [...values.values()]
    keep(varyValue(known[seeded.below(known.length)] as JsonValue, known, seeded))
  }
  return [...values.values()]
}
