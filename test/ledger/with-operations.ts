// A ledger whose operations are changed in one place, and which is otherwise the real one.
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import type { Operations } from '../../src/ledger/ports/operations.ts'

export const withOperations = (ledger: Ledger, changed: Partial<Operations>): Ledger => ({
  ...ledger,
  operations: { ...ledger.operations, ...changed },
})
