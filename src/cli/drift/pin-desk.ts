// Where pins are kept, and who approves there. Without a ledger it is a file that is reviewed with the code, and the approver types a name;
// in a ledger a key proves who approves.
import { resolve } from 'node:path'
import { checkPinApprover } from '../../drift/pins/drift-desk.ts'
import { defaultPinFile, filePins } from '../../drift/pins/file-pins.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin, PinStore } from '../../ledger/ports/pins.ts'
import { available, type CommandIo, type CommandResult, missing, misuse, type Needed } from '../command.ts'
import { ownKey, withPeople } from '../people.ts'

export interface PinDesk {
  readonly store: PinStore
  /** The name of the person who approves. */
  approver(): Promise<Needed<string>>
}

export async function withPins(io: CommandIo, use: (desk: PinDesk) => Promise<CommandResult>): Promise<CommandResult> {
  if (io.option('ledger') === undefined) {
    const store = filePins(resolve(io.folder, io.option('pins') ?? defaultPinFile))
    return use({
      store,
      async approver() {
        const by = io.option('by')?.trim() ?? ''
        return by === '' ? missing('Say who approves: --by NAME.') : available(by)
      },
    })
  }
  if (io.option('pins') !== undefined) return misuse('Pins are kept in a file or in a ledger, not in both.')
  return withPeople(io, (people, ledger) =>
    use({
      store: ledger.pins,
      async approver() {
        const own = await ownKey(io)
        if (!own.ok) return own
        const person = await people.verify(own.value)
        checkPinApprover(person)
        return available(person.user)
      },
    }),
  )
}

/** What the client declares, by the names that were typed. */
export const typedCapabilities = (io: CommandIo): JsonObject =>
  Object.fromEntries(
    io
      .optionList('capability')
      .toSorted()
      .map((name) => [name, {}]),
  )

/** The pin of a source: under the capabilities that were typed, or the only one it has. */
export async function findPin(store: PinStore, source: string, io: CommandIo): Promise<Needed<Pin>> {
  if (io.optionList('capability').length > 0) {
    const pin = await store.get({ source, capabilities: typedCapabilities(io) })
    return pin === undefined ? unpinned(source) : available(pin)
  }
  const own = (await store.list()).filter((pin) => pin.source === source)
  const [pin, ...more] = own
  if (pin === undefined) return unpinned(source)
  if (more.length === 0) return available(pin)
  const plain = own.find(({ capabilities }) => Object.keys(capabilities).length === 0)
  if (plain !== undefined) return available(plain)
  return missing(`${source} is pinned for several clients: say which with --capability.`)
}

const unpinned = (source: string) =>
  missing(`Nothing is pinned as ${source.slice(0, 128)}.`, ['proviso drift list shows what is.'])
