// What has changed between a pin and what is served, found on a thread of its own: the prover runs for seconds over what a stranger wrote,
// and meanwhile the host has calls to answer. Where no thread can be started the same is done here, between other work, and cut short.
import { Worker } from 'node:worker_threads'
import { breathe, oneSlice } from '../../json/slices.ts'
import { findingsByTool } from '../diff/compare.ts'
import type { DriftFinding } from '../finding.ts'
import type { MalformedTool, SourceSnapshot, ToolSnapshot } from '../snapshot.ts'

/** By the name of the tool; a renamed tool stands under its old and its new name. */
export type FoundDrifts = ReadonlyMap<string, readonly DriftFinding[]>

/** To the thread: the two sources piece by piece, because what is sent is copied at once, and then the question. */
export type DriftMessage =
  | { readonly kind: 'tool'; readonly id: number; readonly side: 'before' | 'after'; readonly tool: ToolSnapshot }
  | {
      readonly kind: 'judge'
      readonly id: number
      readonly steps: number
      readonly before: SourceEnd
      readonly after: SourceEnd
    }

export interface SourceEnd {
  readonly kind: SourceSnapshot['kind']
  readonly malformed: readonly MalformedTool[]
}

/** From the thread: some findings at a time. */
export type DriftAnswer =
  | { readonly kind: 'found'; readonly id: number; readonly findings: readonly DriftFinding[] }
  | { readonly kind: 'done'; readonly id: number }

/** Without a thread of its own: a proof that takes longer than these steps is cut short, and reported as undecided. */
const stepsHere = 10_000

/** `steps`: of the prover, for all of it. What is left then is reported as undecided. */
export async function findDrift(before: SourceSnapshot, after: SourceSnapshot, steps: number): Promise<FoundDrifts> {
  const found = new Map<string, DriftFinding[]>()
  const take = (findings: readonly DriftFinding[]) => {
    for (const finding of findings)
      for (const name of new Set([finding.tool, finding.after])) {
        if (typeof name !== 'string') continue
        const known = found.get(name)
        if (known === undefined) found.set(name, [finding])
        else known.push(finding)
      }
  }
  if (!(await findOnThread({ before, after, steps, take }))) {
    found.clear()
    await findHere({ before, after, steps: Math.min(steps, stepsHere), take })
  }
  return found
}

type Take = (findings: readonly DriftFinding[]) => void

interface Search {
  readonly before: SourceSnapshot
  readonly after: SourceSnapshot
  readonly steps: number
  readonly take: Take
}

async function findHere({ before, after, steps, take }: Search): Promise<void> {
  let mayGoOn = oneSlice()
  for (const some of findingsByTool(before, after, 'pin', { left: steps })) {
    take(some)
    if (!mayGoOn()) {
      await breathe()
      mayGoOn = oneSlice()
    }
  }
}

interface Question {
  readonly take: Take
  readonly end: (answered: boolean) => void
}

let thread: Worker | undefined
let questions = 0
const waiting = new Map<number, Question>()

/** False where there is no thread, or it ended without an answer. */
async function findOnThread({ before, after, steps, take }: Search): Promise<boolean> {
  const worker = startThread()
  if (worker === undefined) return false
  const id = ++questions
  const answered = new Promise<boolean>((end) => waiting.set(id, { take, end }))
  // The process stays while it waits for an answer, and only then.
  worker.ref()
  const send = (message: DriftMessage) => worker.postMessage(message)
  try {
    for (const [side, { tools }] of [['before', before] as const, ['after', after] as const]) {
      let mayGoOn = oneSlice()
      for (const tool of tools) {
        send({ kind: 'tool', id, side, tool })
        if (mayGoOn()) continue
        await breathe()
        mayGoOn = oneSlice()
      }
    }
    send({ kind: 'judge', id, steps, before: endOf(before), after: endOf(after) })
  } catch {
    finish(id, false)
  }
  return answered
}

const endOf = ({ kind, malformed }: SourceSnapshot): SourceEnd => ({ kind, malformed })

/** Kept for the next question: to start one takes a tenth of a second. */
function startThread(): Worker | undefined {
  if (thread !== undefined) return thread
  try {
    const file = import.meta.url.endsWith('.ts') ? './drift-thread.ts' : './drift-thread.js'
    const worker = new Worker(new URL(file, import.meta.url), { execArgv: [] })
    const lost = () => {
      if (thread === worker) thread = undefined
      for (const id of [...waiting.keys()]) finish(id, false)
    }
    worker.on('error', lost)
    worker.on('exit', lost)
    worker.on('message', (answer: DriftAnswer) => {
      if (answer.kind === 'done') finish(answer.id, true)
      else waiting.get(answer.id)?.take(answer.findings)
    })
    worker.unref()
    thread = worker
    return worker
  } catch {
    return undefined
  }
}

function finish(id: number, answered: boolean): void {
  const question = waiting.get(id)
  waiting.delete(id)
  if (waiting.size === 0) thread?.unref()
  question?.end(answered)
}
