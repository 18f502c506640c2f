// Where a command writes and reads. Results go to stdout, everything else to stderr, so that a pipe gets results only.
import pico from 'picocolors'

export type Colours = ReturnType<typeof pico.createColors>

export interface Terminal {
  readonly colours: Colours
  /** The folder relative paths start from. */
  readonly folder: string
  readonly debug: boolean
  /** What PROVISO_LEDGER says. */
  readonly ledger: string | undefined
  /** What PROVISO_KEY says. */
  readonly key?: string | undefined
  /** How wide it is, where it is one. */
  readonly columns?: number | undefined
  /** A line of the result. */
  out(text: string): void
  /** A line of comment. */
  note(text: string): void
  /** Rewrites the one line that shows how far the work is; an empty text removes it. Absent where stderr is no terminal. */
  progress?(line: string): void
  /** Asks the person at the terminal; absent where there is none. */
  ask?(question: string): Promise<string>
  /** All of stdin. */
  input(): Promise<string>
  /**
   * Aborted when the person stops the command, or when the reader of its results is gone. Only a command that goes on until then asks
   * for it: from then on the first interrupt no longer ends the process, and the second one does.
   */
  interruption(): AbortSignal
}

/** How long open handles of a tool's own code may keep the process alive once the answer is printed. */
const lingerMs = 1_000

export function processTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process
  const interrupted = new AbortController()
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error) => {
      ignoreClosedPipe(error)
      interrupted.abort()
    })
  }
  return {
    colours: pico.createColors(wantsColour(env, stdout.isTTY === true)),
    folder: process.cwd(),
    debug: env.PROVISO_DEBUG === '1',
    ledger: env.PROVISO_LEDGER,
    key: env.PROVISO_KEY,
    columns: stdout.columns,
    out: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    ...(stderr.isTTY === true && env.TERM !== 'dumb'
      ? { progress: (line: string) => void stderr.write(`\r\u001b[K${line}`) }
      : {}),
    ...(stdin.isTTY === true && stderr.isTTY === true ? { ask: askPerson } : {}),
    async input() {
      stdin.setEncoding('utf8')
      let text = ''
      for await (const chunk of stdin) text += chunk
      return text
    },
    interruption() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort())
      return interrupted.signal
    },
  }
}

async function askPerson(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await asking.question(question)
  } finally {
    asking.close()
  }
}

/** NO_COLOR counts when it is set to anything but the empty string (no-color.org). */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  return isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
}

/** A tool may leave a connection open; that must not keep a finished command from ending. What was written is read to its end first. */
export async function endSoon(code: number): Promise<void> {
  await Promise.all([drained(process.stdout), drained(process.stderr)])
  setTimeout(() => process.exit(code), lingerMs).unref()
}

/** Until everything written has been taken by the reader, or the reader is gone. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}

/** `proviso gates | head -1` closes our stdout early; that is no failure of ours. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}
