// What must hold in every state, after every history; and the states in which nothing is left to be done.
import type { Setting } from './setting.ts'
import { generationBit, type State, unknownEffect } from './state.ts'

/** What is wrong, in words; undefined: nothing. */
export function violationOf(state: State, setting: Setting): string | undefined {
  for (const [slot, generations] of state.slots.entries()) {
    for (const [index, record] of generations.entries()) {
      const generation = index + 1
      // A person who was mistaken, and what no promise covers, are not the ledger's fault.
      if ((state.mistaken & generationBit(slot, generation)) !== 0) continue
      const landed = state.flights.filter(
        (flight) => flight.slot === slot && flight.generation === generation && flight.state === 'landed',
      )
      if (landed.some(({ stated }) => stated)) continue
      const standing = landed.filter(({ counts }) => counts)
      if (standing.length > 1) return `slot ${slot}, generation ${generation}: ${standing.length} effects stand`
      if (record.effect === 'none' && standing.length > 0)
        return `slot ${slot}, generation ${generation}: recorded as none, and it happened`
      if (record.effect === 'happened' && landed.length === 0)
        return `slot ${slot}, generation ${generation}: recorded as happened, and it did not`
      if (landed.some(({ nonce, counts }) => counts && nonce !== 0 && state.toldNone.includes(nonce)))
        return `slot ${slot}, generation ${generation}: a caller was told that nothing was done, and it was`
      for (const [call, known] of state.calls.entries())
        if (
          setting.calls[call]?.slot === slot &&
          (known.toldHappened & (1 << generation)) !== 0 &&
          record.effect !== 'happened'
        )
          return `slot ${slot}, generation ${generation}: a caller was told that it happened, and the record says ${record.effect}`
      for (const [call, known] of state.calls.entries())
        if (
          setting.calls[call]?.slot === slot &&
          (known.toldNone & (1 << generation)) !== 0 &&
          record.effect !== 'none'
        )
          return `slot ${slot}, generation ${generation}: a caller was told that it is over without effect, and the record says ${record.effect}`
      if (record.held && (state.asked & unknownEffect(record.call)) === 0)
        return `slot ${slot}, generation ${generation}: held, and no person is asked`
    }
  }
  return undefined
}

/** Nothing is pending, but for what people are asked about. */
export function isAtRest(state: State): boolean {
  return state.slots.every((generations) =>
    generations.every(
      (record) => record.status !== 'PENDING' || (record.held && (state.asked & unknownEffect(record.call)) !== 0),
    ),
  )
}
