// Checkpoints kept elsewhere, out of reach of those who can write to the ledger: added to a file, or sent to a URL, and
// read back for an audit. Keeping is never half done in silence: what was not stored is said to be.
import { open, readFile, stat } from 'node:fs/promises'
import { codeOf } from '../files/private-file.ts'

export type Keeping = { readonly ok: true } | { readonly ok: false; readonly reason: string }

export type KeptReading =
  | { readonly ok: true; readonly checkpoints: readonly string[] }
  | { readonly ok: false; readonly reason: string }

const patienceMs = 10_000
const maxBytes = 64 * 1_048_576
const webSyntax = /^https?:\/\//i

/** Adds one checkpoint, and returns once it is on the disk or the other side has taken it. */
export async function keepCheckpoint(target: string, checkpoint: string): Promise<Keeping> {
  return webSyntax.test(target) ? send(target, checkpoint) : addToFile(target, checkpoint)
}

/** All checkpoints kept there, oldest first, unjudged. A file that is missing is a failure: it may have been removed. */
export async function readKept(target: string): Promise<KeptReading> {
  const reading = webSyntax.test(target) ? await fetchText(target) : await readText(target)
  return reading.ok ? { ok: true, checkpoints: splitCheckpoints(reading.text) } : reading
}

/** A checkpoint has one empty line inside; the next begins after another, with an origin. */
export function splitCheckpoints(text: string): readonly string[] {
  const pieces = text.split(/\n(?=\nproviso\/)/).map(withoutEmptyEdges)
  return pieces.filter((piece) => piece !== '').map((piece) => `${piece}\n`)
}

/** By hand: a pattern for the end of a text starts anew at every newline of a long row of them. */
function withoutEmptyEdges(text: string): string {
  let begin = 0
  let end = text.length
  while (begin < end && text[begin] === '\n') begin++
  while (end > begin && text[end - 1] === '\n') end--
  return text.slice(begin, end)
}

async function addToFile(file: string, checkpoint: string): Promise<Keeping> {
  try {
    // One write at the end of the file: what several processes add does not get mixed.
    const handle = await open(file, 'a', 0o644)
    try {
      await handle.writeFile(`${checkpoint}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return { ok: true }
  } catch (error) {
    return { ok: false, reason: `${file} cannot be written (${codeOf(error)}).` }
  }
}

async function readText(file: string): Promise<{ readonly ok: true; readonly text: string } | Failure> {
  try {
    if ((await stat(file)).size > maxBytes) return { ok: false, reason: `${file} is too large.` }
    return { ok: true, text: await readFile(file, 'utf8') }
  } catch (error) {
    return { ok: false, reason: `${file} cannot be read (${codeOf(error)}).` }
  }
}

async function send(url: string, checkpoint: string): Promise<Keeping> {
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  const response = await request(url, { method: 'POST', headers, body: checkpoint })
  if (!response.ok) return response
  await response.answer.body?.cancel()
  return { ok: true }
}

async function fetchText(url: string): Promise<{ readonly ok: true; readonly text: string } | Failure> {
  const response = await request(url, { method: 'GET' })
  if (!response.ok) return response
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for await (const piece of response.answer.body ?? []) {
      size += piece.length
      if (size > maxBytes) return { ok: false, reason: `${checkpointName(url)} sent too much.` }
      pieces.push(piece)
    }
  } catch {
    return { ok: false, reason: `${checkpointName(url)} broke off.` }
  }
  return { ok: true, text: Buffer.concat(pieces).toString('utf8') }
}

interface Failure {
  readonly ok: false
  readonly reason: string
}

async function request(
  url: string,
  init: RequestInit,
): Promise<{ readonly ok: true; readonly answer: Response } | Failure> {
  try {
    // A redirect could turn a POST into a GET that stores nothing and still succeeds.
    const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(patienceMs) })
    if (answer.ok) return { ok: true, answer }
    await answer.body?.cancel()
    return { ok: false, reason: `${checkpointName(url)} answered ${answer.status}.` }
  } catch {
    return { ok: false, reason: `${checkpointName(url)} cannot be reached.` }
  }
}

/** Without user, password and query, which may be secret. */
function checkpointName(url: string): string {
  const parsed = URL.parse(url)
  return parsed === null ? 'The URL' : `${parsed.origin}${parsed.pathname}`
}
