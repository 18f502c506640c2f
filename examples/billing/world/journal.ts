// A file of JSON lines that only grows: one line is one effect, so counting lines is counting what really happened.
import { appendFile, readFile } from 'node:fs/promises'

export interface Journal<Entry> {
  append(entry: Entry): Promise<void>
  read(): Promise<readonly Entry[]>
}

export function openJournal<Entry>(file: string): Journal<Entry> {
  return {
    // One write, flushed to disk: a line is there as a whole or not at all, also after the process was killed.
    append: (entry) => appendFile(file, `${JSON.stringify(entry)}\n`, { flush: true }),
    async read() {
      const text = await readFile(file, 'utf8').catch(emptyWhenAbsent)
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Entry => JSON.parse(line))
    },
  }
}

function emptyWhenAbsent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return ''
  throw error
}
