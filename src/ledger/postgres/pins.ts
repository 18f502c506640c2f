// Pins as rows that are only ever added: the newest revision counts, and the older ones say what was approved before and by whom.
import { type Pin, type PinStore, pinId } from '../pin-store.ts'
import type { Database } from './database.ts'

export function createPinRows(database: Database): PinStore {
  return {
    async get(key) {
      const [row] = await database.run<[Buffer]>('pin', [pinId(key)])
      return row === undefined ? undefined : pinOf(row)
    },
    async list() {
      return (await database.run<[Buffer]>('pins', [])).map(pinOf)
    },
    async save(pin) {
      const values = [pinId(pin), pin.revision, pin.source, Buffer.from(JSON.stringify(pin))]
      return (await database.run('pin-add', values)).length > 0
    },
  }
}

const pinOf = ([body]: [Buffer]): Pin => JSON.parse(body.toString()) as Pin
