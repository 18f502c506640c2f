// Where pins are kept, and who approves there. Without a ledger it is a file that is reviewed with the code, and whoever approves says who
// they are; in a ledger a key proves it.
import { resolve } from 'node:path'
import { pinRole } from '../../drift/pins/drift-desk.ts'
import { defaultPinFile, filePins } from '../../drift/pins/file-pins.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Pin, PinStore } from '../../ledger/ports/pins.ts'
import { type Given, misuse, type Outcome, text, texts } from '../command.ts'
import type { Terminal } from '../terminal.ts'

export type Approver = { readonly ok: true; readonly by: string } | { readonly ok: false; readonly outcome: Outcome }

export interface PinDesk {
  readonly store: PinStore
  approver(): Promise<Approver>
}

export async function withPins(
  given: Given,
  terminal: Terminal,
  use: (desk: PinDesk) => Promise<Outcome>,
): Promise<Outcome> {
  if (text(given, 'ledger') === undefined) {
    const store = filePins(resolve(terminal.folder, text(given, 'pins') ?? defaultPinFile))
    return use({
      store,
      async approver() {
        const by = text(given, 'by')?.trim() ?? ''
        return by === '' ? { ok: false, outcome: misuse('Say who approves: --by NAME.') } : { ok: true, by }
      },
    })
  }
  if (text(given, 'pins') !== undefined) return misuse('Pins are kept in a file or in a ledger, not in both.')
  const { refused, withPeople } = await import('../approvals/with-people.ts')
  return withPeople(given, terminal, (people, ledger) =>
    use({
      store: ledger.pins,
      async approver() {
        const { ownKey } = await import('../keys/own-key.ts')
        const own = await ownKey(given, terminal)
        if (!own.ok) return { ok: false, outcome: misuse(own.message) }
        const person = await people.verify(own.key)
        if (person.roles.includes(pinRole)) return { ok: true, by: person.user }
        const { Fault } = await import('../../contract/fault.ts')
        const fault = new Fault('not_permitted', `Approving what others publish takes the role ${pinRole}.`)
        return { ok: false, outcome: refused(fault, given, terminal) }
      },
    }),
  )
}

/** What the client declares, by the names that were typed. */
export const capabilitiesOf = (given: Given): JsonObject =>
  Object.fromEntries(
    texts(given, 'capability')
      .toSorted()
      .map((name) => [name, {}]),
  )

export type FoundPin = { readonly ok: true; readonly pin: Pin } | { readonly ok: false; readonly outcome: Outcome }

/** The pin of a source: under the capabilities that were typed, or the only one it has. */
export async function findPin(store: PinStore, source: string, given: Given): Promise<FoundPin> {
  const own = (await store.list()).filter((pin) => pin.source === source)
  if (texts(given, 'capability').length > 0) {
    const pin = await store.get({ source, capabilities: capabilitiesOf(given) })
    return pin === undefined ? unpinned(source) : { ok: true, pin }
  }
  const [pin, ...more] = own
  if (pin === undefined) return unpinned(source)
  if (more.length === 0) return { ok: true, pin }
  const plain = own.find(({ capabilities }) => Object.keys(capabilities).length === 0)
  if (plain !== undefined) return { ok: true, pin: plain }
  return { ok: false, outcome: misuse(`${source} is pinned for several clients: say which with --capability.`) }
}

const unpinned = (source: string): FoundPin => ({
  ok: false,
  outcome: misuse(`Nothing is pinned as ${source.slice(0, 128)}.`, ['proviso drift list shows what is.']),
})
