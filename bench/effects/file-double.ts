// A file system that does what it is asked, or does not, and then reports a failure: the calls of Node's own file functions are counted,
// and one of them is spoiled. All that the executors import of them is reached this way.
import fs, { type FileHandle } from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'

export interface Spoiling {
  /** Which of the calls, counted from 0. */
  readonly at: number
  readonly code: string
  /** Whether the call has done its work before it fails. */
  readonly does: boolean
  /** All calls after it fail as well, without doing anything. */
  readonly lasting?: boolean
}

export interface SpoiltFiles {
  /** The names of the calls since the last arrangement, in their order. */
  readonly calls: readonly string[]
  /** Counts anew. */
  arrange(spoiling: Spoiling | undefined): void
  close(): void
}

const names = ['open', 'link', 'rename', 'rm', 'mkdir', 'lstat', 'readdir', 'stat'] as const
const methods = ['stat', 'read', 'writeFile', 'sync'] as const

type Anything = (...given: unknown[]) => Promise<unknown>

export async function spoiltFiles(): Promise<SpoiltFiles> {
  // The object whose members the imports of others follow.
  const promises = createRequire(import.meta.url)('node:fs/promises') as Record<string, Anything>
  const handle = await fs.open('/', 'r')
  const prototype = Object.getPrototypeOf(handle) as Record<keyof FileHandle & string, Anything>
  await handle.close()
  let calls: string[] = []
  let spoiling: Spoiling | undefined

  const spoilt = (name: string, original: Anything): Anything =>
    async function (this: unknown, ...given) {
      const at = calls.push(name) - 1
      const isIt = spoiling !== undefined && (at === spoiling.at || (spoiling.lasting === true && at > spoiling.at))
      if (!isIt || spoiling === undefined) return Reflect.apply(original, this, given)
      const { code, does } = spoiling
      if (does && at === spoiling.at) {
        const made = await Reflect.apply(original, this, given)
        // What its caller does not get it cannot close.
        if (name === 'open') await (made as FileHandle).close()
      }
      throw Object.assign(new Error(`${code}: spoilt, ${name}`), { code })
    }

  const originals = [
    ...names.map((name) => ({ on: promises, name, label: name as string })),
    ...methods.map((name) => ({ on: prototype as Record<string, Anything>, name, label: `handle.${name}` })),
  ].map(({ on, name, label }) => ({ on, name, label, original: on[name] as Anything }))
  for (const { on, name, label, original } of originals) on[name] = spoilt(label, original)
  syncBuiltinESMExports()
  return {
    get calls() {
      return calls
    },
    arrange(next) {
      calls = []
      spoiling = next
    },
    close() {
      for (const { on, name, original } of originals) on[name] = original
      syncBuiltinESMExports()
    },
  }
}
