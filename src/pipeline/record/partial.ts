// Work that was done in part: its effect stands, so its slot is completed and never run again; its answer says which steps are missing.
import type { Call, ErrorDetail } from '../../contract/call/call.ts'
import { type Stop, stop } from '../phase.ts'

/** How a pass ends that nothing else has ended; undefined where all of the work is done. */
export function partialStop({ parts }: Pick<Call, 'parts'>): Stop | undefined {
  if (parts === undefined) return undefined
  const errors = parts.failed.map(
    ({ name, code, message }): ErrorDetail => ({
      field: '$',
      expected: '',
      actual: code ?? '',
      message: message === undefined ? `The step ${name} failed.` : `The step ${name} failed: ${message}`,
      ...(code === undefined ? {} : { code }),
    }),
  )
  return stop('PARTIAL_SUCCESS', 'partial_effect', errors)
}
