// The prover on published pairs, with a second validator for every witness. Third-party data lies beside the checkout.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { accepts, secondOpinion } from '../../bench/prover/second-opinion.ts'
import { disputedLabels } from '../../src/subschema/disputed-labels.ts'
import { type Pair, scorePair, sumUp } from '../../src/subschema/score.ts'

const folder = resolve(import.meta.dirname, '../../../shared/data/subschema')
const isAbsent = !existsSync(folder)
if (isAbsent) console.warn(`NOT JUDGED: there is no ${folder}`)

/** Where the second validator falls short; the published label, made with a third one, agrees with us in each. */
const shortcomings: ReadonlyMap<string, string> = new Map([
  ['jsts-draft7-ref-6-0', 'takes the $id beside a $ref for a base'],
  ['cts-draft2020-12-nonvalid-anchor-4-s1', 'reads $anchor inside an enum'],
  ['cts-draft2020-12-nonvalid-anchor-5-s1', 'reads $anchor inside an enum'],
  ['jsts-draft7-ref-32-1', 'does not open file URIs'],
  ['jsts-draft7-ref-33-1', 'does not open file URIs'],
  ['jsts-draft2020-12-ref-33-1', 'does not open file URIs'],
  ['jsts-draft2020-12-ref-34-1', 'does not open file URIs'],
  ['cts-draft7-nonvalid-ref-13-s1', 'takes a $ref inside a constant for a reference'],
  ['cts-draft7-nonvalid-ref-14-s1', 'takes a $ref inside a constant for a reference'],
  ['cts-draft7-nonvalid-ref-20-s1', 'takes a $ref inside a constant for a reference'],
  ['subschema-py-0925', 'follows definitions only where nothing stands beside $ref'],
])

/** At least this share of each file is decided as published. */
const files: readonly (readonly [name: string, share: number])[] = [
  ['ibm-pairs', 0.98],
  ['confluent-pairs', 0.98],
  ['jsoncompat-pairs', 0.97],
  ['subschema-py-pairs', 0.98],
  ['jsts-draft7-pairs', 0.99],
  ['jsts-draft2020-12-pairs', 0.99],
  ['containment-testsuite-pairs', 0.97],
]

function read(name: string): readonly (Pair & { readonly witness?: Pair['lhs'] })[] {
  return JSON.parse(readFileSync(resolve(folder, `${name}.json`), 'utf8'))
}

describe.skipIf(isAbsent)('published pairs', () => {
  it.each(files)('decides %s without an unsound or incomplete answer [proven-means-contained]', (name, share) => {
    const totals = sumUp(read(name).map((pair) => scorePair(pair, { now: () => performance.now() })))
    expect(totals).toMatchObject({ unsound: 0, incomplete: 0, witnesses_bad: 0 })
    expect(totals.correct_share).toBeGreaterThanOrEqual(share)
  })

  it.each(files)('gives only witnesses in %s that the second validator confirms [witness-checked]', async (name) => {
    const opinions: string[] = []
    for (const pair of read(name)) {
      const { proof, id } = scorePair(pair, { now: () => 0 })
      // A witness of millions of values takes the second validator minutes.
      if (proof.verdict !== 'refuted' || JSON.stringify(proof.witness).length > 100_000) continue
      const opinion = await secondOpinion(pair, proof.witness)
      if (opinion !== 'confirmed' && !shortcomings.has(id)) opinions.push(`${id}: ${opinion}`)
    }
    expect(opinions).toEqual([])
  })

  it('disputes a label only where the second validator accepts the published witness on both sides', async () => {
    const disputed = files.flatMap(([name]) => read(name)).filter(({ id }) => disputedLabels.has(id))
    expect(disputed).toHaveLength(disputedLabels.size)
    for (const { lhs, rhs, draft, witness, expected, id } of disputed) {
      expect(expected, id).toBe(false)
      expect(await accepts(lhs, draft, witness ?? null), id).toBe(true)
      expect(await accepts(rhs, draft, witness ?? null), id).toBe(true)
    }
  })
})
