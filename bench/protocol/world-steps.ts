// What the world does with a request, and how time passes.

import type { Add } from './deed.ts'
import { type Setting, tickMs, windowOf } from './setting.ts'
import { ageLedger, ageProcesses, copyOf, type Flight, leftOf, noProcess, type State, spend } from './state.ts'

export function worldSteps(state: State, setting: Setting, add: Add) {
  for (const [at, flight] of state.flights.entries()) {
    if (flight.state !== 'away') continue
    const { slot, generation, nonce } = flight
    const isLate = flight.age >= tickMs
    const hasLeft = !flight.stalled || flight.by === noProcess || state.processes[flight.by]?.life === 'up'
    if (!hasLeft) continue
    const deed = { slot, generation, nonce }
    const next = copyOf(state)
    const landed = next.flights[at] as Flight
    landed.state = 'landed'
    landed.stated = isLate
    landed.counts = true
    if (setting.tool === 'key') honour(next, landed, setting)
    landed.stalled = false
    add(
      { ...deed, does: isLate ? 'stalled write' : 'land', came: landed.counts ? 'an effect' : 'taken for the first' },
      next,
    )
    const lost = copyOf(state)
    const gone = lost.flights[at] as Flight
    gone.state = 'refused'
    gone.stalled = false
    add({ ...deed, does: 'refuse', came: 'nothing done' }, lost)
  }
}

/** A provider that remembers the key takes the second request for the first. */
function honour(state: State, flight: Flight, setting: Setting): void {
  const { slot, generation } = flight
  const key = state.keys.find((each) => each.slot === slot && each.generation === generation)
  if (key !== undefined && key.age < windowOf(setting)) flight.counts = false
  else if (key !== undefined) key.age = 0
  else state.keys.push({ slot, generation, age: 0 })
}

export function timeSteps(state: State, setting: Setting, add: Add) {
  const next = copyOf(state)
  ageLedger(next, setting)
  ageProcesses(next, setting)
  add({ does: 'tick', came: 'time passes' }, next)
  if (leftOf(state, 'step') === 0) return
  const stepped = copyOf(state)
  spend(stepped, 'step')
  ageLedger(stepped, setting)
  add({ does: 'step', came: 'the clock of the database goes on by itself' }, stepped)
}
