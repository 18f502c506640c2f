// The prover on published pairs; every witness is put to validators of other making. Third-party data lies beside the checkout.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { askOthers } from '../../bench/prover/ask-others.ts'
import { hyperjumpAccepts } from '../../bench/prover/hyperjump-accepts.ts'
import { disputedLabels } from '../../src/subschema/verdict/disputed-labels.ts'
import { type Pair, type PairScore, scorePair, sumUp } from '../../src/subschema/verdict/score.ts'
import { type Shortcoming, shortcomings } from './hyperjump-shortcomings.ts'

const folder = resolve(import.meta.dirname, '../../../shared/data/subschema')
const isAbsent = !existsSync(folder)
if (isAbsent) console.warn(`NOT JUDGED: there is no ${folder}`)

/** Pairs that the second validator gets wrong or cannot read. The third confirms each of them. */
const exceptions: ReadonlyMap<string, Shortcoming> = new Map([
  ['cts-draft7-nonvalid-ref-13-s1', 'reference-in-constant'],
  ['cts-draft7-nonvalid-ref-14-s1', 'reference-in-constant'],
  ['cts-draft7-nonvalid-ref-20-s1', 'reference-in-constant'],
  ['cts-draft2020-12-nonvalid-anchor-4-s1', 'anchor-in-constant'],
  ['cts-draft2020-12-nonvalid-anchor-5-s1', 'anchor-in-constant'],
  ['jsts-draft7-ref-6-0', 'identifier-beside-reference'],
  ['subschema-py-0925', 'definitions-beside-reference'],
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

/** The largest witness has 3.5 million values: three seconds for the second validator on an idle machine, and a busy one is slower. */
const patience = 300_000

type Published = Pair & { readonly witness?: Pair['lhs'] }

function read(name: string): readonly Published[] {
  return JSON.parse(readFileSync(resolve(folder, `${name}.json`), 'utf8'))
}

const scored = new Map<string, readonly PairScore[]>()

function scoresOf(name: string): readonly PairScore[] {
  const known = scored.get(name) ?? read(name).map((pair) => scorePair(pair, { now: () => performance.now() }))
  scored.set(name, known)
  return known
}

describe.skipIf(isAbsent)('published pairs', () => {
  it.each(files)('decides %s without an unsound or incomplete answer [proven-means-contained]', (name, share) => {
    const totals = sumUp(scoresOf(name))
    expect(totals).toMatchObject({ unsound: 0, incomplete: 0, witnesses_bad: 0 })
    expect(totals.correct_share).toBeGreaterThanOrEqual(share)
  })

  it.each(files)(
    'gives only witnesses in %s that another validator confirms [witness-checked]',
    async (name) => {
      const pairs = read(name)
      const unconfirmed: string[] = []
      const needThird: string[] = []
      for (const [index, { id, proof }] of scoresOf(name).entries()) {
        if (proof.verdict !== 'refuted') continue
        const { second, third } = await askOthers(pairs[index] as Pair, proof.witness)
        if (second === 'confirmed') continue
        needThird.push(id)
        if (third !== 'confirmed') unconfirmed.push(`${id}: second ${second}, third ${third}`)
      }
      expect(unconfirmed).toEqual([])
      const own = new Set(pairs.map(({ id }) => id))
      expect(needThird.sort()).toEqual([...exceptions.keys()].filter((id) => own.has(id)).sort())
    },
    patience,
  )

  it('excuses the second validator only for what a minimal case shows', () => {
    const shown = shortcomings.map(({ name }) => name)
    expect([...new Set(exceptions.values())].sort()).toEqual([...shown].sort())
  })

  it('disputes a label only where the second validator accepts the published witness on both sides', async () => {
    const disputed = files.flatMap(([name]) => read(name)).filter(({ id }) => disputedLabels.has(id))
    expect(disputed).toHaveLength(disputedLabels.size)
    for (const { lhs, rhs, draft, witness, expected, id } of disputed) {
      expect(expected, id).toBe(false)
      expect(await hyperjumpAccepts(lhs, draft, witness ?? null), id).toBe(true)
      expect(await hyperjumpAccepts(rhs, draft, witness ?? null), id).toBe(true)
    }
  })
})
