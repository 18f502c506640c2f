// Values that obey a schema, unlike each other and at its edges: each goal asks the solver for a value of one kind more.
// Deterministic for a seed; every value was accepted by the validator.
import { canonicalize } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/value.ts'
import type { Preprocessed } from '../../schema/normal.ts'
import { compileValidator } from '../../schema/validator.ts'
import { defaultBudget } from '../is-subschema.ts'
import { oversize } from '../oversize.ts'
import { createEngine } from '../solver/solver.ts'
import { goalsOf } from './sample-goals.ts'
import { createSeeded } from './seeded.ts'
import { varyValue } from './vary.ts'

export function sample(schema: Preprocessed, count: number, seed = 1): readonly JsonValue[] {
  if (oversize(schema, schema) !== undefined) return []
  const seeded = createSeeded(seed)
  const engine = createEngine(schema, schema, defaultBudget)
  const { matches } = compileValidator(schema)
  const root = engine.pool.claimOf(schema.root, schema)
  const texts = new Set<string>()
  const values: JsonValue[] = []
  const keep = (value: JsonValue): void => {
    if (values.length >= count || !matches(value)) return
    const text = canonicalize(value)
    if (texts.has(text)) return
    texts.add(text)
    values.push(value)
  }
  const plain = engine.solve([root])
  if (plain.kind === 'value') keep(plain.value)
  for (const goal of seeded.shuffle(goalsOf(schema))) {
    if (values.length >= count) break
    const outcome = engine.solve([root, engine.pool.claimOf(goal, schema)])
    if (outcome.kind === 'value') keep(outcome.value)
  }
  // Where the goals were too few, small changes of what they led to.
  for (let round = 0; round < count * 30 && values.length < count && values.length > 0; round++) {
    keep(varyValue(values[seeded.below(values.length)] as JsonValue, values, seeded))
  }
  return values
}
