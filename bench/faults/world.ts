// The outside world: files that tools change and that the judge counts without asking the ledger. One application is one line, written
// with O_APPEND and fsync, so that it survives the process that made it.
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export interface World {
  /** An effect without any key: asked for twice, it is made twice. */
  apply(op: string): void
  /** A provider that applies a key once, for as long as it remembers it. */
  send(op: string, key: string, windowMs: number): void
  has(op: string): boolean
  /** How often the effect is there. */
  fired(op: string): number
  /** How often the provider was asked, with or without effect. */
  requests(op: string): number
  /** From now on it does what it refused before. */
  mend(op: string): void
  isMended(op: string): boolean
  /** Counts one more start of the executor and gives how many there were before. */
  begin(op: string): number
}

export function openWorld(folder: string): World {
  const path = (op: string, part: string) => join(folder, `${op}.${part}`)
  const applied = (op: string, key: string) => path(op, `${key.slice(0, 32)}.applied`)
  const keysOf = (op: string) => new Set(linesOf(path(op, 'requests')))

  const isRemembered = (file: string, windowMs: number): boolean => {
    try {
      return Date.now() - statSync(file).mtimeMs < windowMs
    } catch {
      return false
    }
  }

  return {
    apply: (op) => append(path(op, 'effect'), op),
    send(op, key, windowMs) {
      append(path(op, 'requests'), key)
      const file = applied(op, key)
      if (isRemembered(file, windowMs)) return
      try {
        append(file, op, 'ax')
      } catch {
        // Another request was faster, or the key is forgotten: only a forgotten one is applied anew.
        if (!isRemembered(file, windowMs)) append(file, op)
      }
    },
    has: (op) =>
      linesOf(path(op, 'effect')).length > 0 || [...keysOf(op)].some((key) => linesOf(applied(op, key)).length > 0),
    fired: (op) =>
      linesOf(path(op, 'effect')).length +
      [...keysOf(op)].reduce((sum, key) => sum + linesOf(applied(op, key)).length, 0),
    requests: (op) => linesOf(path(op, 'requests')).length,
    mend: (op) => append(path(op, 'mended'), op),
    isMended: (op) => linesOf(path(op, 'mended')).length > 0,
    begin(op) {
      const before = linesOf(path(op, 'starts')).length
      appendFileSync(path(op, 'starts'), 'start\n')
      return before
    },
  }
}

function append(file: string, line: string, flags = 'a'): void {
  const handle = openSync(file, flags)
  try {
    writeSync(handle, `${line}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1)
  } catch {
    return []
  }
}
