// Published pairs whose label is wrong, with the reason. The score uses the true label and says how many there are;
// a test shows each one by two validators. A label is never listed because the prover disagrees with it.

export interface DisputedLabel {
  readonly expected: boolean
  readonly reason: string
}

const anchorInPlace =
  'L is an array of strings: $dynamicRef "#items" leads to the anchor beside it. The published witness ["foo","bar"] is accepted by L; the validator that labelled it does not follow the reference.'

export const disputedLabels: ReadonlyMap<string, DisputedLabel> = new Map([
  ['cts-draft2020-12-nonvalid-dynamicRef-1-s1', { expected: true, reason: anchorInPlace }],
  ['cts-draft2020-12-nonvalid-dynamicRef-2-s1', { expected: true, reason: anchorInPlace }],
])
