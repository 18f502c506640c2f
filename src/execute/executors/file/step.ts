// The one step by which a file tool changes something: a link or a rename. A file system may do it and report a failure all the same, as
// one over a network does whose answer was lost and whose second try then fails. So after a failure the place itself is looked at.
import { link, lstat, rename } from 'node:fs/promises'
import { asFileError, errnoOf, fileError, nothingThere } from './failure.ts'

/** A further name, which never replaces what is there. Throws with the effect `none` where it was not given, `unknown` where that was not seen. */
export async function giveSecondName(from: string, to: string): Promise<void> {
  const before = await namesOf(from)
  await link(from, to).catch((error: unknown) =>
    judgeFailure(error, async () => {
      // Counted: two spellings of one name, where a file system takes them for the same, are still one.
      const { count } = await namesOf(from)
      if (count === before.count) return 'none'
      return (await namesOf(to)).id === before.id ? 'happened' : 'unknown'
    }),
  )
}

/** The other name, in place of the one that it has and of what is there. Throws as above. */
export async function takeName(from: string, to: string): Promise<void> {
  const before = await namesOf(from)
  await rename(from, to).catch((error: unknown) =>
    judgeFailure(error, async () => {
      const left = await namesOf(from).catch(nothingThere)
      if (left?.id === before.id) return 'none'
      return (await namesOf(to)).id === before.id ? 'happened' : 'unknown'
    }),
  )
}

/** What is not there, and what could not be looked at, is no proof: `none` is said of a file that is seen as it was. */
async function judgeFailure(error: unknown, look: () => Promise<'none' | 'happened' | 'unknown'>): Promise<void> {
  const effect = await look().catch(() => 'unknown' as const)
  if (effect === 'happened') return
  throw effect === 'none' && errnoOf(error) === 'EEXIST' ? fileError('exists') : asFileError(error, effect)
}

async function namesOf(path: string): Promise<{ readonly id: string; readonly count: bigint }> {
  const { dev, ino, nlink } = await lstat(path, { bigint: true })
  return { id: `${dev}:${ino}`, count: nlink }
}
