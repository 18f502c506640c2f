// What later readings have said of steps that were taken for done. Before the pivot a step whose effect is not as it should be turns the
// saga back, also where that is found out when the saga has gone on; behind it there is no way back, and people are asked.
import type { SagaRecord } from '../../contract/saga/saga.ts'
import type { SagaProgress } from './fold-journal.ts'
import type { PreparedSaga } from './prepared-saga.ts'
import type { SagaPorts } from './saga-ports.ts'

export interface LateFailure {
  readonly step: string
  readonly message: string
}

export interface LateReadings {
  /** The first step that was not found as it should be; undefined where there is none, or no way back. */
  failure(progress: SagaProgress): Promise<LateFailure | undefined>
}

/** `resumed`: the process that made the earlier calls may have ended before it read their effects back. */
export function createLateReadings(
  { steps }: PreparedSaga,
  { tenant }: SagaRecord,
  resumed: boolean,
  ports: Pick<SagaPorts, 'verification'>,
): LateReadings {
  const watched = steps.filter(({ readBack }) => readBack === 'later' || (readBack === 'at_once' && resumed))
  /** Calls whose reports are final. */
  const known = new Set<string>()
  return {
    async failure(progress) {
      if (watched.length === 0 || !mayTurn(steps, progress)) return undefined
      for (const { id } of watched) {
        const { done, ended } = progress.track(id, 'forward')
        if (!done || ended === undefined || known.has(ended.call)) continue
        const report = await ports.verification(ended.call, tenant)
        if (report?.state === 'FAILED')
          return { step: id, message: `Step ${id} was read back, and is not as it should be: ${report.message}` }
        if (report?.state !== 'PENDING') known.add(ended.call)
      }
      return undefined
    },
  }
}

/** Whether the saga goes forward and has not passed its pivot. */
export function mayTurn(
  steps: readonly Pick<PreparedSaga['plan'][number], 'id' | 'kind'>[],
  progress: SagaProgress,
): boolean {
  if (progress.direction === 'backward' || progress.finished !== undefined) return false
  return !steps.some(({ id, kind }) => {
    const { done, happened } = progress.track(id, 'forward')
    return kind === 'pivot' && (done || happened)
  })
}
