// A person at the keyboard: the key that says who they are, and the ledger where their decision is recorded. Nothing is executed here; the
// process that has the tool does that. A key never comes from an argument, which every process on the machine could see.
import { resolve } from 'node:path'
import { createPeople, type People } from '../approval/people.ts'
import { Fault } from '../contract/fault.ts'
import { knownKeys } from '../identity/check-key.ts'
import { defaultKeyFile } from '../identity/file-key-store.ts'
import { systemClock } from '../json/clock.ts'
import { systemEntropy } from '../json/id.ts'
import { readWhole } from '../ledger/files/private-file.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'
import { readBudgets } from '../policy/budgets/limit.ts'
import { available, type CommandIo, type CommandResult, done, missing, type Needed, type OptionRow } from './command.ts'
import { openLedger } from './ledger/open-ledger.ts'
import { jsonText, lineText } from './plain-text.ts'

export const ownKeyOption: OptionRow = {
  flags: '--key-file <file>',
  about: 'file with your key, readable by you alone (default: the key in PROVISO_KEY)',
}

/** The keys of all people at the keyboard: files may be named several times. */
export async function ownKeys(io: CommandIo): Promise<Needed<readonly string[]>> {
  const one = io.option('keyFile')
  const files = one === undefined ? io.optionList('keyFile') : [one]
  if (files.length === 0) {
    const key = io.key?.trim() ?? ''
    if (key !== '') return available([key])
    return missing(
      'Say who you are: put your key into PROVISO_KEY, or name its file with --key-file. proviso keys create makes one.',
    )
  }
  const keys: string[] = []
  for (const file of files) {
    const reading = await readWhole(resolve(io.folder, file), { secret: true })
    if (reading.kind === 'absent') return missing(`There is no file ${file}.`)
    if (reading.kind === 'refused') return missing(reading.reason)
    keys.push(reading.text.trim())
  }
  return available(keys)
}

export async function ownKey(io: CommandIo): Promise<Needed<string>> {
  const reading = await ownKeys(io)
  if (!reading.ok) return reading
  const [key = '', ...more] = reading.value
  return more.length === 0 ? available(key) : missing('One key at a time.')
}

/** Opens the ledger for what people do. A person who is not known or not permitted, or who saw another packet, is refused. */
export async function withPeople(
  io: CommandIo,
  use: (people: People, ledger: Ledger) => Promise<CommandResult>,
): Promise<CommandResult> {
  const signing = io.option('signingKey')
  const keyFile = signing === undefined ? {} : { keyFile: resolve(io.folder, signing) }
  const opened = await openLedger(io, { make: false, log: { sequence: false, ...keyFile } })
  if (!opened.ok) return opened.result
  const ledger = opened.value
  try {
    return await use(peopleOn(ledger, io), ledger)
  } catch (error) {
    if (error instanceof Fault && refusals.has(error.code)) return printRefusal(error, io)
    throw error
  } finally {
    await ledger.close()
  }
}

/** The same for one person, whose key is read before the ledger is opened. */
export async function withPerson(
  io: CommandIo,
  use: (person: {
    readonly credential: string
    readonly people: People
    readonly ledger: Ledger
  }) => Promise<CommandResult>,
): Promise<CommandResult> {
  const own = await ownKey(io)
  if (!own.ok) return own.result
  return withPeople(io, (people, ledger) => use({ credential: own.value, people, ledger }))
}

function peopleOn(ledger: Ledger, { folder }: CommandIo): People {
  return createPeople({
    ledger,
    clock: systemClock,
    entropy: systemEntropy,
    budgets: readBudgets(),
    identity: knownKeys({ ledger: ledger.keys, clock: systemClock, file: resolve(folder, defaultKeyFile) }),
    toolNamed: () => undefined,
    // A process that has the tool runs the call: the one that waits for the decision finds it in the ledger.
    resume: async () => {},
  })
}

const refusals: ReadonlySet<string> = new Set(['unknown_credential', 'not_permitted', 'packet_changed'])

/** The request is refused and nothing is changed: ends with 1. */
export function printRefusal({ code, message }: Pick<Fault, 'code' | 'message'>, io: CommandIo): CommandResult {
  if (io.json) io.out(jsonText({ error: { code, message } }, 2))
  io.note(`${io.colours.red('refused')} ${lineText(message)}`)
  return done(false)
}
