// Random schemas through every table: what is proven holds, what is listed is all there is, and nothing strays from the subset.
import { describe, expect, it } from 'vitest'
import { strays } from '../../bench/projections/strays.ts'
import { randomDocument } from '../../bench/prover/random-schema.ts'
import { tokensOf } from '../../src/json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../src/json/value.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator } from '../../src/schema/validator.ts'
import { sample } from '../../src/subschema/generate/sample.ts'
import { createSeeded } from '../../src/subschema/generate/seeded.ts'
import { providers } from '../../src/surface/dialects/dialect-table.ts'
import { dialectTables } from '../../src/surface/dialects/dialect-tables.ts'
import { undoNulls } from '../../src/surface/projection/null-for-absent.ts'
import { projectInput } from '../../src/surface/projection/project-input.ts'

const count = 400

describe('projections of random schemas', () => {
  it.each(providers)('keep what they say for %s [projection-proven-or-listed] [TC-075, TC-076]', (provider) => {
    const random = createSeeded(7)
    const verdicts = { proven: 0, listed: 0, refused: 0 }
    for (let index = 0; index < count; index++) {
      const source = asArguments(randomDocument(random), index)
      const reading = preprocess(source)
      if (!reading.ok) continue
      const form = reading.schema
      const projection = projectInput({ form, source, table: dialectTables[provider], sensitive: [] })
      verdicts[projection.verdict]++
      const { strict, onlyLocal, refusals } = projection
      if (strict === undefined) {
        expect(refusals.length).toBeGreaterThan(0)
        continue
      }
      const where = () => `${index} ${JSON.stringify(source)} as ${JSON.stringify(strict)}`
      expect([strays(strict, provider), where()]).toEqual([[], where()])
      if (projection.verdict === 'listed') expect([onlyLocal.length > 0, where()]).toEqual([true, where()])
      // Without a keyword that evaluates, what asks for the unevaluated refuses more: such a document cannot be loosened word by word.
      if (projection.verdict === 'listed' && JSON.stringify(source).includes('unevaluated')) continue
      const local = compileValidator(
        readable(
          without(
            source,
            onlyLocal.map(({ pointer }) => pointer),
          ),
        ),
      )
      for (const value of sample(readable(strict), 40)) {
        if (!isObject(value)) continue
        const given = provider === 'openai' ? (undoNulls(value, form)?.value ?? value) : value
        expect([local.matches(given), JSON.stringify(given), where()]).toEqual([true, JSON.stringify(given), where()])
      }
    }
    expect(verdicts.proven).toBeGreaterThan(count / 20)
    if (provider !== 'mcp') expect(Math.min(verdicts.listed, verdicts.refused)).toBeGreaterThan(0)
  })
})

/** The random schema as an argument that is needed, and as one that may be absent. */
function asArguments(schema: JsonObject, index: number): JsonObject {
  const { $defs, ...own } = schema
  return {
    type: 'object',
    properties: { a: own, b: { type: 'string' } },
    required: index % 3 === 0 ? [] : ['a'],
    ...(index % 2 === 0 ? { additionalProperties: false } : {}),
    ...($defs === undefined ? {} : { $defs }),
  }
}

function readable(schema: JsonObject) {
  const reading = preprocess(schema)
  if (!reading.ok) throw new Error(JSON.stringify(reading.refusals))
  return reading.schema
}

/** The document without the keywords at these places. */
function without(document: JsonObject, pointers: readonly string[]): JsonObject {
  const copy = structuredClone(document) as Record<string, unknown>
  for (const pointer of pointers) {
    const tokens = tokensOf(pointer)
    let here: unknown = copy
    for (const token of tokens.slice(0, -1)) here = (here as Record<string, unknown> | undefined)?.[token]
    if (typeof here === 'object' && here !== null) delete (here as Record<string, unknown>)[tokens.at(-1) ?? '']
  }
  return copy as Record<string, JsonValue>
}
