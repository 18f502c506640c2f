// Pins in memory, lost with the process like everything here.
import { ownCopy } from '../../json/copy.ts'
import { type Pin, type PinStore, pinId } from '../ports/pins.ts'

export function createMemoryPins(): PinStore {
  const pins = new Map<string, Pin>()
  return {
    get: (key) => pins.get(pinId(key)),
    list: () => [...pins.values()].sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0)),
    save(pin) {
      const id = pinId(pin)
      if (pin.revision !== (pins.get(id)?.revision ?? 0) + 1) return false
      pins.set(id, ownCopy(pin))
      return true
    },
  }
}
