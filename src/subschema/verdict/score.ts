// Scores the prover on published pairs: its answers against the expected ones, and whether every witness holds.
import type { JsonValue } from '../../json/value.ts'
import { type Dialect, dialects } from '../../schema/normal.ts'
import { isSubschema, type Proof } from '../is-subschema.ts'
import { disputedLabels } from './disputed-labels.ts'

/** One row of a file of pairs. */
export interface Pair {
  readonly id: string
  readonly draft: string
  readonly lhs: JsonValue
  readonly rhs: JsonValue
  /** Whether every instance of `lhs` is one of `rhs`. */
  readonly expected: boolean
}

/** `unsound`: proven but expected false; `incomplete`: refuted but expected true. */
export type PairStanding = 'proven' | 'refuted' | 'unsound' | 'incomplete' | 'unsupported'

export interface PairScore {
  readonly id: string
  readonly expected: boolean
  readonly standing: PairStanding
  readonly proof: Proof
  readonly witnessIsBad: boolean
  /** The published label is on the list of wrong ones, and the true one was used. */
  readonly labelIsWrong: boolean
  readonly ms: number
}

export interface ScoreTotals {
  readonly pairs: number
  readonly proven: number
  readonly refuted: number
  readonly unsound: number
  readonly incomplete: number
  readonly unsupported: number
  readonly witnesses_bad: number
  readonly labels_wrong: number
  readonly correct_share: number
  readonly median_ms: number
  readonly p99_ms: number
  readonly max_ms: number
}

export interface ScoreOptions {
  /** Milliseconds from any origin. */
  now(): number
  /** A second opinion on a witness: R accepts it and L refuses it. */
  confirms?(pair: Pair, witness: JsonValue): boolean
  readonly budget?: number
}

/** The names that collections of pairs use for drafts, and our own. */
const drafts: ReadonlyMap<string, Dialect> = new Map([
  ['draft4', 'draft-04'],
  ['draft6', 'draft-06'],
  ['draft7', 'draft-07'],
  ['draft2019-09', '2019-09'],
  ['draft2020-12', '2020-12'],
  ...dialects.map((name): [string, Dialect] => [name, name]),
])

export function dialectOfDraft(draft: string): Dialect | undefined {
  return drafts.get(draft)
}

export function scorePair(pair: Pair, { now, confirms, budget }: ScoreOptions): PairScore {
  const dialect = dialectOfDraft(pair.draft)
  const started = now()
  const proof = isSubschema(pair.lhs, pair.rhs, {
    formats: { r: 'annotate', l: 'annotate' },
    ...(dialect === undefined ? {} : { dialect }),
    ...(budget === undefined ? {} : { budget }),
  })
  const ms = now() - started
  const disputed = disputedLabels.get(pair.id)
  const expected = disputed?.expected ?? pair.expected
  return {
    id: pair.id,
    expected,
    standing: standingOf(proof, expected),
    labelIsWrong: disputed !== undefined,
    proof,
    witnessIsBad:
      (proof.verdict === 'refuted' && confirms !== undefined && !confirms(pair, proof.witness)) ||
      (proof.verdict === 'unsupported' && proof.construct === 'witness'),
    ms,
  }
}

export function sumUp(scores: readonly PairScore[]): ScoreTotals {
  const count = (standing: PairStanding): number => scores.filter((score) => score.standing === standing).length
  const times = scores.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number): number =>
    rounded(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0)
  const [proven, refuted] = [count('proven'), count('refuted')]
  return {
    pairs: scores.length,
    proven,
    refuted,
    unsound: count('unsound'),
    incomplete: count('incomplete'),
    unsupported: count('unsupported'),
    witnesses_bad: scores.filter(({ witnessIsBad }) => witnessIsBad).length,
    labels_wrong: scores.filter(({ labelIsWrong }) => labelIsWrong).length,
    correct_share: scores.length === 0 ? 0 : rounded((proven + refuted) / scores.length),
    median_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: at(1),
  }
}

function standingOf(proof: Proof, expected: boolean): PairStanding {
  if (proof.verdict === 'unsupported') return 'unsupported'
  if (proof.verdict === 'proven') return expected ? 'proven' : 'unsound'
  return expected ? 'incomplete' : 'refuted'
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
