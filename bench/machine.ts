// Where and when a figure was taken. Figures from different machines compare by ratio only.
import { availableParallelism, cpus, loadavg } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly node: string
  readonly date: string
  /** Above the number of cores, other work was in the way. */
  readonly load: number
}

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    date: new Date().toISOString(),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  }
}
