// Numbers the points that a process passes, and does to it what was ordered at one of them. Invariant: what is ordered happens at that
// point and nowhere else; a process that is to die there does nothing after it.

/** `kill`: SIGKILL to this very process. `stop`: SIGSTOP, until another process continues it. `hang`: never goes on, within a process that does. */
export type Deed = 'kill' | 'stop' | 'hang'

/** What happens to a statement: it is sent and the process dies; it is sent and its answer is lost; its connection is gone before. */
export type StatementFate = 'go' | 'sent' | 'cut' | 'ended'

export interface TripWire {
  /** Counts from here on. Without a label, only notes what is passed. */
  arm(label?: string, deed?: Deed): void
  reach(point: string): undefined | Promise<never>
  statement(name: string): StatementFate
  readonly points: readonly string[]
  readonly tripped: boolean
  /** Resolves when the deed is done, for a caller that waits beside what hangs. */
  readonly lost: Promise<undefined>
}

export const killSelf = (): void => void process.kill(process.pid, 'SIGKILL')

export function createTripWire(): TripWire {
  let armed: string | undefined
  let deed: Deed = 'kill'
  let counting = false
  let tripped = false
  let points: string[] = []
  let passed = new Map<string, number>()
  const { promise: lost, resolve: lose } = Promise.withResolvers<undefined>()

  const pass = (point: string): string => {
    const count = (passed.get(point) ?? 0) + 1
    passed.set(point, count)
    return `${point}#${count}`
  }

  return {
    lost,
    arm(label, what = 'kill') {
      armed = label
      deed = what
      counting = true
      tripped = false
      points = []
      passed = new Map()
    },
    reach(point) {
      if (!counting) return undefined
      // What hangs stays so: nothing of a process that is to be gone goes on beside it.
      if (tripped && deed === 'hang') return new Promise<never>(() => {})
      const label = pass(point)
      points.push(label)
      if (label !== armed) return undefined
      tripped = true
      lose(undefined)
      switch (deed) {
        case 'kill':
          killSelf()
          return undefined
        case 'stop':
          process.kill(process.pid, 'SIGSTOP')
          return undefined
        case 'hang':
          return new Promise<never>(() => {})
      }
    },
    statement(name) {
      if (!counting) return 'go'
      const label = pass(`statement ${name}`)
      for (const fate of ['sent', 'cut', 'ended'] as const) {
        points.push(`${label} ${fate}`)
        if (armed !== `${label} ${fate}`) continue
        tripped = true
        return fate
      }
      return 'go'
    },
    get points() {
      return points
    },
    get tripped() {
      return tripped
    },
  }
}
