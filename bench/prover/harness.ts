// The harness behind the fuzzer: random pairs against a universe of values, and laws that must hold between answers.
// Invariant: for the same seed the same questions; a prover made deaf to one keyword of L is found out.
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { compileValidator, type Validator } from '../../src/schema/validator.ts'
import { createSeeded } from '../../src/subschema/generate/seeded.ts'
import { isSubschema, type Proof } from '../../src/subschema/is-subschema.ts'
import { mutateDocument, randomDocument } from './random-schema.ts'
import { smallUniverse } from './universe.ts'

export interface Fault {
  readonly pair: number
  readonly law: string
  readonly r: JsonValue
  readonly l: JsonValue
  readonly value?: JsonValue
  readonly proof: Proof
}

export interface FuzzOptions {
  readonly count: number
  readonly seed: number
  /** A keyword that the prover is made to overlook in L: the harness must find out. */
  readonly plant?: string
  /** The prover's work budget; little of it must lead to fewer answers, never to wrong ones. */
  readonly budget?: number
  progress?(pairs: number, faults: number): void
}

export interface FuzzResult {
  readonly proven: number
  readonly refuted: number
  readonly unsupported: number
  readonly skipped: number
  readonly unsupported_constructs: Readonly<Record<string, number>>
  readonly slowest_ms: number
  readonly faults: readonly Fault[]
}

/** The search ends with so many faults: the first few tell enough. */
const enoughFaults = 20

export function fuzz({ count, seed, plant, budget, progress }: FuzzOptions): FuzzResult {
  const random = createSeeded(seed)
  const universe = smallUniverse()
  const faults: Fault[] = []
  const tally = { proven: 0, refuted: 0, unsupported: 0, skipped: 0 }
  const constructs = new Map<string, number>()
  let slowest = 0

  for (let pair = 0; pair < count && faults.length < enoughFaults; pair++) {
    const a = randomDocument(random)
    const b = random.chance(0.5) ? randomDocument(random) : mutateDocument(random, a)
    const c = random.chance(0.5) ? randomDocument(random) : mutateDocument(random, b)
    const [validA, validB] = [validatorOf(a), validatorOf(b)]
    if (validA === undefined || validB === undefined) {
      tally.skipped++
      continue
    }
    const proof = judge(pair, 'pair', a, b, validA, validB)
    judgeLaws(pair, { a, b, c, proof })
    if (pair % 1000 === 999) progress?.(pair + 1, faults.length)
  }
  return {
    ...tally,
    unsupported_constructs: Object.fromEntries(constructs),
    slowest_ms: Math.round(slowest),
    faults,
  }

  function judge(pair: number, law: string, r: JsonValue, l: JsonValue, validR: Validator, validL: Validator): Proof {
    const proof = prove(r, l)
    tally[proof.verdict]++
    if (proof.verdict === 'proven') {
      const value = universe.find((one) => validR.matches(one) && !validL.matches(one))
      if (value !== undefined) faults.push({ pair, law: `${law}: proven, but a value refutes it`, r, l, value, proof })
    } else if (proof.verdict === 'refuted') {
      const { witness } = proof
      if (!validR.matches(witness) || validL.matches(witness)) {
        faults.push({ pair, law: `${law}: the witness does not hold`, r, l, value: witness, proof })
      }
    } else noteUnsupported(pair, law, r, l, proof)
    return proof
  }

  /** Laws that hold for all schemas. */
  function judgeLaws(pair: number, { a, b, c, proof }: Triple): void {
    const both = combine('allOf', a, b)
    const either = combine('anyOf', a, b)
    demand(pair, 'A is in A written differently', a, combine('allOf', a, {}))
    demand(pair, 'A and B is in A', both, a)
    demand(pair, 'A is in A or B', a, either)
    const contrary = prove(negation(b), negation(a))
    if (contrary.verdict !== 'unsupported' && proof.verdict !== 'unsupported' && contrary.verdict !== proof.verdict) {
      faults.push({ pair, law: 'contraposition gives another answer', r: a, l: b, proof: contrary })
    }
    if (validatorOf(c) === undefined) return
    if (proof.verdict === 'proven' && prove(b, c).verdict === 'proven') demand(pair, 'inclusion is transitive', a, c)
  }

  function demand(pair: number, law: string, r: JsonValue, l: JsonValue): void {
    const proof = prove(r, l)
    if (proof.verdict === 'refuted') faults.push({ pair, law, r, l, value: proof.witness, proof })
    if (proof.verdict === 'unsupported') noteUnsupported(pair, law, r, l, proof)
  }

  function noteUnsupported(
    pair: number,
    law: string,
    r: JsonValue,
    l: JsonValue,
    proof: Extract<Proof, { verdict: 'unsupported' }>,
  ): void {
    constructs.set(proof.construct, (constructs.get(proof.construct) ?? 0) + 1)
    if (proof.construct === 'witness' || proof.construct === 'search') {
      faults.push({ pair, law: `${law}: an internal disagreement`, r, l, proof })
    }
  }

  function prove(r: JsonValue, l: JsonValue): Proof {
    const before = performance.now()
    const proof = isSubschema(r, plant === undefined ? l : without(l, plant), {
      formats: { r: 'assert', l: 'assert' },
      ...(budget === undefined ? {} : { budget }),
    })
    slowest = Math.max(slowest, performance.now() - before)
    return proof
  }
}

interface Triple {
  readonly a: JsonObject
  readonly b: JsonObject
  readonly c: JsonObject
  readonly proof: Proof
}

/** Definitions are renamed, so that those of two documents do not meet. */
function combine(word: 'allOf' | 'anyOf', a: JsonObject, b: JsonObject): JsonObject {
  return {
    [word]: [{ $ref: '#/$defs/one' }, { $ref: '#/$defs/two' }],
    $defs: { one: nested(a, 'one'), two: nested(b, 'two') },
  }
}

function negation(a: JsonObject): JsonObject {
  return { not: { $ref: '#/$defs/one' }, $defs: { one: nested(a, 'one') } }
}

function nested(schema: JsonObject, name: string): JsonObject {
  return { $id: `https://example.com/${name}`, ...schema }
}

/** Takes a keyword out wherever it stands. */
function without(schema: JsonValue, word: string): JsonValue {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map((part) => without(part, word))
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, part]) => (key === word ? [] : [[key, without(part, word)]])),
  )
}

function validatorOf(schema: JsonValue): Validator | undefined {
  const read = preprocess(schema, { formats: 'assert' })
  return read.ok ? compileValidator(read.schema) : undefined
}
