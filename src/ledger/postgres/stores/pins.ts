// Pins as rows, one for each revision: the newest counts, and the older ones say what was approved before and by whom.
import { type Pin, type PinStore, pinId } from '../../ports/pins.ts'
import type { Database } from '../driver/database.ts'

export function createPinRows(database: Database): PinStore {
  return {
    async get(key, known) {
      const [row] = await database.run<[Buffer | null]>('pin', [pinId(key), known?.revision ?? null])
      if (row === undefined) return undefined
      return row[0] === null ? known : pinOf([row[0]])
    },
    async list() {
      return (await database.run<[Buffer]>('pins', [])).map(pinOf)
    },
    async save(pin, by) {
      const values = [pinId(pin), pin.revision, pin.source, Buffer.from(JSON.stringify(pin)), by === 'look']
      return (await database.run('pin-add', values)).length > 0
    },
  }
}

const pinOf = ([body]: [Buffer]): Pin => JSON.parse(body.toString()) as Pin
