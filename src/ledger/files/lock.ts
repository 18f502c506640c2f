// A lock between processes that dies with its holder, kill -9 included. It is a symbolic link whose target names the holder: made
// atomically with its content, so that half a name is never read. Invariant: only the holder, or one breaker of a dead one, removes it.
import { readlink, symlink, unlink } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../contract/fault.ts'
import { errno } from './private-file.ts'
import { isAlive, nameOfThisProcess } from './process-identity.ts'

/** Longer than any initdb or crash recovery that the holder may be busy with. */
const patienceMs = 180_000

/** Runs `work` while no other process, and no other caller in this one, holds the lock at `path`. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const name = nameOfThisProcess()
  await acquire(path, name)
  try {
    return await work()
  } finally {
    await unlink(path)
  }
}

async function acquire(path: string, name: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const holder = await take(path, name)
    if (holder === undefined) return
    if (!isAlive(holder)) await breakLock(path, holder)
    else if (performance.now() > deadline) throw held(path, holder)
    else await sleep(5 + Math.random() * 10)
  }
}

/** Undefined when taken, else the name of its holder. */
async function take(path: string, name: string): Promise<string | undefined> {
  for (;;) {
    try {
      await symlink(name, path)
      return undefined
    } catch (error) {
      if (errno(error) !== 'EEXIST') throw error
    }
    const holder = await holderOf(path)
    if (holder !== undefined) return holder
  }
}

async function holderOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    if (errno(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Two that find the same dead holder must not both unlink: the slower would remove the lock that the quicker then took. So breakers of
 * one dead holder take a lock of their own, named after it, and look again: the dead one's link can only be removed in there.
 */
async function breakLock(path: string, dead: string): Promise<void> {
  await withLock(`${path}.${dead.slice(dead.lastIndexOf('.') + 1)}`, async () => {
    if ((await holderOf(path)) === dead) await unlink(path)
  })
}

function held(path: string, holder: string): Fault {
  const pid = holder.slice(0, holder.indexOf('.'))
  return new Fault('embedded_failed', `Process ${pid} has held ${path} for ${patienceMs / 1000} s: is it suspended?`)
}
