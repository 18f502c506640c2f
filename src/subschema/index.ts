// The public face of the prover: proofs with witnesses, satisfiability, closedness, and values made from schemas.

import '../json/needs-node.ts'

export { preprocess } from '../schema/preprocess.ts'
export { mutations, type NearMiss } from './generate/mutations.ts'
export { sample } from './generate/sample.ts'
export { inhabits } from './inhabits.ts'
export { isClosed } from './is-closed.ts'
export { isSubschema, type Proof, provePreprocessed, type Refutation, type SubschemaOptions } from './is-subschema.ts'
export { type Pair, type PairScore, type ScoreTotals, scorePair, sumUp } from './verdict/score.ts'
