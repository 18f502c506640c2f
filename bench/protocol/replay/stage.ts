// What a history is played on: its processes, the names of what it speaks of, and what has been sent and given so far.
import type { SlotRecord, SlotRef } from '../../../src/contract/call/slot.ts'
import type { Ledger } from '../../../src/ledger/ports/ledger.ts'
import type { Claim, PassEntry } from '../../../src/ledger/ports/operations.ts'
import { consequences, type Fit } from '../../../src/ledger/rules/settle.ts'
import {
  answerOf,
  callRecord,
  entryOf,
  escalation,
  fact,
  settlement,
  slot as slotRef,
} from '../../../test/ledger/requests.ts'
import type { DeedName, DeedOf } from '../deed.ts'
import { type Setting, ttlMs } from '../setting.ts'
import type { State } from '../state.ts'
import { type Names, namesOf } from './names.ts'
import type { RealProcess, RealProcesses } from './real-processes.ts'

/** What the ledger said otherwise; undefined: nothing. */
export type Said = string | undefined
export type Plays<Name extends DeedName> = {
  readonly [Each in Name]: (deed: DeedOf<Each>, next: State) => Promise<Said> | Said
}

/** From here on the history cannot be played. */
export const unplayable = 'cannot be played'

export interface Ending {
  readonly call: number
  readonly slot: number
  readonly generation: number
  readonly attempt: number
  readonly nonce: number
  readonly pass: number
  readonly says: string
  readonly tries: number
  readonly asks: boolean
}

export interface Stage {
  readonly setting: Setting
  readonly names: Names
  readonly real: RealProcesses
  readonly processes: RealProcess[]
  readonly frozen: Set<number>
  readonly sessionless: Set<number>
  /** What each process was given to find out about. */
  readonly claimed: Map<number, Claim>
  /** The generation that a process has been told of instead of its own. */
  readonly stale: Map<number, number>
  /** An end that is sent again has the name that it had. */
  readonly sent: Map<number, PassEntry>
  /** The state before the step that is played, as the history has it. */
  before: State | undefined
  ledgerOf(deed: { readonly process: number }): Ledger
  /** For what no process in particular does. */
  any(): Ledger
  nextEntry(): number
  refOf(call: number): SlotRef
  callFields(call: number, passes: number): Pick<PassEntry['call'], 'id' | 'key' | 'contractHash' | 'passes'>
  factOf(call: number, pass: number): PassEntry['facts'][number]
  endEntry(ending: Ending): PassEntry
}

export function createStage(setting: Setting, real: RealProcesses, number: number): Stage {
  const names = namesOf(setting, number)
  const { tenant, contract, id, nonceOf, callOf, slotOf, keyOf, hashOf } = names
  const processes: RealProcess[] = []
  let entries = 0
  const nextEntry = () => ++entries
  const ledgerOf = ({ process }: { readonly process: number }) => (processes[process] as RealProcess).ledger
  const callFields: Stage['callFields'] = (call, passes) => ({
    id: callOf(call),
    key: { ...callRecord().key, tenant, providerCallId: `p${call}` },
    contractHash: contract,
    passes,
  })
  const factOf: Stage['factOf'] = (call, pass) => fact({ callId: callOf(call), pass, seq: nextEntry() })

  return {
    setting,
    names,
    real,
    processes,
    frozen: new Set(),
    sessionless: new Set(),
    claimed: new Map(),
    stale: new Map(),
    sent: new Map(),
    before: undefined,
    ledgerOf,
    any: () => ledgerOf({ process: 0 }),
    nextEntry,
    refOf: (call) =>
      slotRef({
        tenant,
        key: slotOf(call),
        kind: setting.kind,
        requestHash: hashOf(call),
        providerCallId: `p${call}`,
        resource: setting.resource === true ? 'resource' : undefined,
      }),
    callFields,
    factOf,
    endEntry({ call, slot, generation, attempt, nonce, pass, says, tries, asks }) {
      const [status, effect, held] = says.split(' ') as [SlotRecord['status'], SlotRecord['effect'], string | undefined]
      const settle = settlement({
        status: status as 'PENDING',
        effect,
        held: held !== undefined,
        callId: callOf(call),
        tenant,
        nonce: nonceOf(nonce),
        slotKey: keyOf(slot),
        generation,
        attempt,
        tries,
        answer: status === 'PENDING' ? undefined : answerOf(`of attempt ${attempt}`),
        ttlMs: setting.expires === true ? ttlMs : undefined,
        named: setting.resource === true,
      })
      const escalations = asks ? [escalation(0, { id: id(9, nextEntry()), tenant, callId: callOf(call) })] : undefined
      return entryOf(
        { ...callFields(call, pass), effect, status: effect === 'happened' ? 'SUCCESS' : 'UNKNOWN_ERROR' },
        {
          id: id(8, nextEntry()),
          settle,
          facts: [factOf(call, pass)],
          ...(escalations === undefined ? {} : { escalations }),
        },
      )
    },
  }
}

/** Whether an end was answered as the rule says that it came to. */
export function settledAs(said: string, came: string, own: 'transaction' | 'entry' = 'entry'): Said {
  const fit = came.split(',')[0] as Fit
  if (!(fit in consequences)) return undefined
  const { answer, commits } = consequences[fit]
  const wanted = own === 'entry' || commits ? answer : 'late'
  return said === wanted ? undefined : `the end was ${said}, and not ${wanted}`
}
