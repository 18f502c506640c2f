// Why a call is not to start any more: its caller went away, its batch ran out of time, or a sibling failed that it was not to outlive.
// The reason of the abort says which; any other reason means a caller that went away.
import type { OpenedCall } from '../../contract/call/stages.ts'
import { type Stop, stop } from '../phase.ts'

export const siblingFailed = new DOMException('Another call of the batch failed.', 'AbortError')
export const batchOutOfTime = new DOMException('The time of the batch is up.', 'TimeoutError')

export function cancellationOf({ signal }: OpenedCall): Stop | undefined {
  if (signal?.aborted !== true) return undefined
  switch (signal.reason) {
    case siblingFailed:
      return stop(
        'UNKNOWN_ERROR',
        'sibling_canceled',
        'Another call of the same step failed, so this one was not started. Nothing was done.',
      )
    case batchOutOfTime:
      return stop('TIMEOUT', 'timeout', 'The time of the whole step was up before the call was started.')
    default:
      return callerGone
  }
}

export const callerGone = stop(
  'UNKNOWN_ERROR',
  'canceled',
  'The caller went away before the call was started. Nothing was done.',
)
