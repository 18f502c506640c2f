// The reading before the gates, shared by the calls that need it at the same time.
import type { LookedUp, LookUp } from '../../ports/operations.ts'
import { batching, type Work } from '../work.ts'
import { type Batcher, createBatcher } from '../write/batch.ts'
import { lookUpBatch } from './look-up.ts'

export type Readings = Batcher<LookUp, LookedUp>

export const createReadings = (work: Work): Readings =>
  createBatcher({ ...batching(work), send: (items: readonly LookUp[]) => lookUpBatch(work.database, items) })

/** The key of no call: only its slot or its run is asked for. */
export const noCall = { run: undefined, providerCallId: undefined, tool: '', inputHash: '' } as const
