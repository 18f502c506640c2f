// A ledger that may be an older copy of itself: it can be read, and nothing is written to it before a person has acknowledged what is missing.
import { Fault } from '../contract/fault.ts'
import type { Ledger } from './ports/ledger.ts'
import { type LedgerStanding, olderCopy } from './ports/outside.ts'

/** What may be asked of an older copy: all that only reads. A method that is not named here writes. */
const reads: Readonly<Record<string, readonly string[]>> = {
  operations: ['lookUp', 'slot', 'mayAct'],
  // Contracts are named by what they say.
  calls: ['get', 'list', 'facts', 'escalations', 'contract', 'saveContracts'],
  approvals: ['find', 'get', 'list', 'grants', 'resumable', 'signingKeys'],
  limits: ['balances'],
  runs: ['labels', 'discovered'],
  results: ['get'],
  sagas: ['get', 'list', 'journal'],
  versions: ['decisions'],
  pins: ['get', 'list'],
  keys: ['list', 'find'],
  log: ['prove', 'verify'],
}

export interface Guard extends LedgerStanding {
  lookAgain(): Promise<void>
  moved(): void
}

/** The same ledger, which tells the guard what it writes, and refuses to write where something is missing. */
export function withStanding<Ports extends Omit<Ledger, 'close'>>(ledger: Ports, guard: Guard): Ports {
  const guarded = <Method extends (...args: never[]) => unknown>(method: Method) =>
    ((...args: Parameters<Method>) => {
      if (guard.missing() !== undefined) return refuseOlder(guard, () => method(...args))
      guard.moved()
      return method(...args)
    }) as Method
  const ports = Object.entries(ledger).map(([name, port]) => [
    name,
    typeof port !== 'object' || port === null
      ? port
      : Object.fromEntries(
          Object.entries(port).map(([each, method]) => [
            each,
            typeof method === 'function' && reads[name]?.includes(each) !== true ? guarded(method) : method,
          ]),
        ),
  ])
  const { missing, acknowledge } = guard
  return { ...(Object.fromEntries(ports) as Ports), standing: { missing, acknowledge } }
}

async function refuseOlder(guard: Guard, write: () => unknown): Promise<unknown> {
  await guard.lookAgain()
  const missing = guard.missing()
  if (missing !== undefined) throw new Fault('ledger_behind', olderCopy(missing))
  guard.moved()
  return write()
}
