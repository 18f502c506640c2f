// Labels, denials and discovered tools of runs. Adding labels again changes nothing, so it is sent again after a cut connection.
import type { Runs } from '../../ports/runs.ts'
import { runKey } from '../codec/call-text.ts'
import { noCall, type Readings } from '../read/look-up.ts'
import { batching, type StoreWork } from '../work.ts'
import { createBatcher } from '../write/batch.ts'

interface Labelling {
  readonly tenant: string
  readonly run: string
  readonly labels: readonly string[]
  readonly parent: string | undefined
}

export interface RunRows extends Runs {
  /** Resolves once all labels that were given are written. */
  idle(): Promise<void>
}

export function createRunRows(work: StoreWork, readings: Readings): RunRows {
  const { database } = work
  const labellings = createBatcher<Labelling, readonly string[]>({
    ...batching(work),
    send: (items) => Promise.all(items.map((item) => labelRun(work, item))),
  })
  return {
    async labels(tenant, run) {
      const { labels = [] } = await readings.add({ key: { ...noCall, tenant, run }, slot: undefined, labels: true })
      return labels
    },
    addLabels: (tenant, run, labels, parent) => labellings.add({ tenant, run, labels, parent }),
    async countDenial(tenant, run, tool) {
      const [row] = await database.run<[string]>('count-denial', [tenant, `denied ${JSON.stringify([run, tool])}`])
      return Number(row?.[0] ?? 0)
    },
    async discover(tenant, run, tools) {
      await database.run('discover', [tenant, run, tools, runKey(tenant, run)])
    },
    async discovered(tenant, run) {
      const [row] = await database.read<[string[]]>(tenant, 'discovered', [tenant, run])
      return new Set(row?.[0] ?? [])
    },
    idle: labellings.idle,
  }
}

async function labelRun(
  { database, runKeys }: StoreWork,
  { tenant, run, labels, parent }: Labelling,
): Promise<readonly string[]> {
  const [row] = await database.run<[string[], string]>('label-run', [
    tenant,
    run,
    runKey(tenant, run),
    labels,
    parent ?? null,
    parent === undefined ? null : runKey(tenant, parent),
  ])
  const [carried, holder] = row ?? [[], run]
  runKeys.learn(tenant, run, holder)
  return carried
}
