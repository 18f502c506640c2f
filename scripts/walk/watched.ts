// Where the boundaries lie: around every phase, and around every question that is asked of the ledger.
import type { Ledger } from '../../src/ledger/ports/ledger.ts'
import { pipeline } from '../../src/pipeline/pipeline.ts'
import type { Boundaries } from './boundaries.ts'

type Work = (...values: readonly unknown[]) => unknown

/** From now on, every phase of this process is a stretch of its own. */
export function watchPhases(boundaries: Boundaries): void {
  for (const phase of pipeline) {
    const watched: Record<string, unknown> = phase as never
    for (const name of ['gather', 'decide', 'act', 'keep']) {
      const work = watched[name] as Work | undefined
      if (work === undefined) continue
      watched[name] = (...values: readonly unknown[]) => {
        boundaries.enter(phase.name)
        return work.apply(phase, [...values])
      }
    }
  }
}

/** The same ledger, with each of its methods a stretch named `ledger/part.method`. */
export function watchLedger(ledger: Ledger, boundaries: Boundaries): Ledger {
  const watched: Record<string, unknown> = { ...ledger }
  for (const [part, port] of Object.entries(ledger)) {
    if (typeof port !== 'object' || port === null) continue
    watched[part] = watchPort(part, port, boundaries)
  }
  return watched as unknown as Ledger
}

function watchPort(part: string, port: object, boundaries: Boundaries): object {
  return new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function' || typeof name === 'symbol') return value
      return (...values: readonly unknown[]) =>
        boundaries.within(`ledger/${part}.${name}`, () => (value as Work).apply(target, [...values]))
    },
  })
}
