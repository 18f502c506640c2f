// Which files run between two boundaries: V8 counts every function that is called, and each crossing of a boundary takes the counts
// since the one before. A file counts only where one of its functions ran; that it was loaded is not enough.
import { Session } from 'node:inspector'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = resolve(import.meta.dirname, '../../src')

export interface Stretch {
  readonly name: string
  readonly files: readonly string[]
}

export interface Boundaries {
  /** Forgets what ran until now: the scene is set, and the first stretch begins. */
  begin(name: string): void
  /** From here on everything belongs to `name`, until the next one is entered. */
  enter(name: string): void
  /** Runs `work` as a stretch of its own. */
  within<T>(name: string, work: () => T): T
  /** What was passed, by stretch, in the order in which stretches were first entered. */
  stretches(): readonly Stretch[]
}

export function watchBoundaries(): Boundaries {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const passed = new Map<string, Set<string>>()
  let entered = ''
  const open: string[] = []

  /** The stretch that has run until now gets what was counted. */
  const cross = () => {
    const name = open.at(-1) ?? entered
    const files = passed.get(name) ?? new Set()
    for (const file of take(session)) files.add(file)
    passed.set(name, files)
  }
  const leave = (name: string) => {
    cross()
    open.splice(open.lastIndexOf(name), 1)
  }
  return {
    begin(name) {
      take(session)
      passed.clear()
      entered = name
    },
    enter(name) {
      cross()
      entered = name
    },
    within(name, work) {
      cross()
      open.push(name)
      const result = work()
      if (!(result instanceof Promise)) {
        leave(name)
        return result
      }
      return result.finally(() => leave(name)) as typeof result
    },
    stretches() {
      cross()
      return [...passed]
        .map(([name, files]) => ({ name, files: [...files].sort() }))
        .filter(({ files }) => files.length > 0)
    },
  }
}

/** The files of ours of which a function ran since the last time. */
function take(session: Session): readonly string[] {
  const files: string[] = []
  // In the same thread the answer comes before post returns.
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue
      const file = relative(source, fileURLToPath(url))
      // What begins with the file is the file itself, as it is loaded.
      const isPassed = functions.some(
        ({ ranges: [whole] }) => whole !== undefined && whole.startOffset > 0 && whole.count > 0,
      )
      if (!file.startsWith('..') && isPassed) files.push(file)
    }
  })
  return files
}
