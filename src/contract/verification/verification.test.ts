// The words of verification, written down once more as the specification has them.
import { expect, test } from 'vitest'
import { discrepancies, executionStates, reconciliationStates, verificationStates } from './verification.ts'

test('the states of execution, verification and reconciliation, and the discrepancies, are those of the specification [TC-439]', () => {
  expect(executionStates.join(' ')).toBe('NOT_EXECUTED EXECUTING ACCEPTED PENDING COMMITTED FAILED UNKNOWN')
  expect(verificationStates.join(' ')).toBe('NOT_REQUIRED NOT_STARTED PENDING VERIFIED FAILED TIMEOUT UNVERIFIABLE')
  expect(reconciliationStates.join(' ')).toBe(
    'NOT_STARTED RECONCILED_SUCCESS RECONCILED_PARTIAL RECONCILED_FAILURE UNKNOWN COMPENSATED ROLLED_BACK REVIEW_REQUIRED',
  )
  expect(discrepancies.map((name) => name.replaceAll('_', ' '))).toEqual([
    ...[
      'no op success',
      'no op failure',
      'value mismatch',
      'stale state',
      'partial application',
      'duplicate side effect',
    ],
    ...['wrong target', 'target missing', 'propagation delay', 'unverifiable', 'compensation required', 'unknown'],
  ])
})
