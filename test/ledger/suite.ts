// The ledger's suite: what every engine has to do. Each engine has one file that runs it.
import { describe } from 'vitest'
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { approvalTests } from './suite/approvals.ts'
import { callTests } from './suite/calls.ts'
import { grantTests } from './suite/grants.ts'
import { limitTests } from './suite/limits.ts'
import { newCallTests } from './suite/new-calls.ts'
import { operationTests } from './suite/operations.ts'
import { pinTests } from './suite/pins.ts'
import { repairTests } from './suite/repairs.ts'
import { resolutionTests } from './suite/resolutions.ts'
import { runTests } from './suite/runs.ts'
import { sagaTests } from './suite/sagas.ts'
import { settlementTests } from './suite/settlements.ts'
import { verificationTests } from './suite/verifications.ts'
import { versionTests } from './suite/versions.ts'

export interface Engine {
  readonly ledger: Ledger
  /** Lets time pass, as the ledger's own clock has it. */
  advance(ms: number): Promise<void>
  /** The ledger as another process has it: the same store, nothing else in common. Where there is one process only, the ledger itself. */
  peer(): Promise<Ledger>
}

export type StartEngine = () => Promise<Engine>

export function ledgerSuite(name: string, start: StartEngine): void {
  describe(`the ledger on ${name}`, () => {
    operationTests(start)
    settlementTests(start)
    resolutionTests(start)
    limitTests(start)
    describe('calls of which nothing is known', () => newCallTests(start))
    approvalTests(start)
    grantTests(start)
    callTests(start)
    runTests(start)
    repairTests(start)
    verificationTests(start)
    versionTests(start)
    sagaTests(start)
    pinTests(start)
  })
}
