// Facts of an admission are brought again by whatever ends its attempt, and two processes may both believe that they end it: what is there
// twice, to the microsecond, is one fact.
import type { Fact } from '../contract/fact.ts'

export function distinctFacts(facts: readonly Fact[]): readonly Fact[] {
  const seen = new Set<string>()
  return facts.filter(({ pass, seq, phase, at, micros }) => {
    const name = `${pass} ${seq} ${phase} ${at} ${micros}`
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}
