// Fires proposals at a target and counts what should never be: exceptions, slow calls, wrong arguments that run, right ones refused.
import { type FuzzTarget, openTarget, type Shot, writerOf } from './fuzz-target.ts'
import { type Finding, judgeShot } from './judge-shot.ts'
import { openOpinions } from './opinions.ts'
import { type PlantName, plants } from './plants.ts'
import { type Draw, drawProposal } from './propose.ts'
import { seededRandom } from './random.ts'
import { subjects } from './subjects.ts'

export interface FuzzOptions {
  readonly count: number
  readonly seed: number
  readonly plant?: PlantName
  onProgress?(done: number): void
}

export interface Offence {
  readonly number: number
  readonly what: Finding | 'exceptions' | 'slow'
  readonly kind: string
  readonly tool: string
  readonly class: string
  readonly arguments: string
  readonly detail: string
}

export interface FuzzResult {
  readonly count: number
  readonly seed: number
  readonly exceptions: number
  readonly slow: number
  /** Over the bound once, but not each time it was run again: the machine, not the call. */
  readonly slow_once: number
  readonly max_ms: number
  readonly let_through: number
  readonly over_refused: number
  readonly bad_observations: number
  readonly executed: number
  readonly by_class: Readonly<Record<string, number>>
  readonly by_kind: Readonly<Record<string, number>>
  readonly max_ms_by_kind: Readonly<Record<string, number>>
  readonly slowest: readonly {
    readonly number: number
    readonly kind: string
    readonly class: string
    readonly ms: number
  }[]
  readonly offences: readonly Offence[]
}

const slowMs = 50
const repeats = 3
/** A target keeps every call it has seen; a fresh one now and then keeps the process small. */
const callsPerTarget = 5_000
const thoroughShare = 0.05
const listed = 20

export async function runFuzz({ count, seed, plant, onProgress }: FuzzOptions): Promise<FuzzResult> {
  const random = seededRandom(seed)
  const opinions = await openOpinions(subjects)
  const planted = plant === undefined ? undefined : plants[plant]
  const counts = {
    exceptions: 0,
    slow: 0,
    slow_once: 0,
    let_through: 0,
    over_refused: 0,
    bad_observations: 0,
    executed: 0,
  }
  const byClass: Record<string, number> = {}
  const byKind: Record<string, number> = {}
  const maxByKind: Record<string, number> = {}
  const offences: Offence[] = []
  const slowest: { number: number; kind: string; class: string; ms: number }[] = []
  let maxMs = 0
  // A planted answer would only plague the warm-up.
  const open = async () => {
    const opened = await openTarget(subjects, planted)
    return planted !== undefined && 'answer' in planted ? opened : warm(opened)
  }
  let target = await open()

  const offend = (number: number, what: Offence['what'], draw: Draw, detail: string, shot?: Shot) => {
    counts[what]++
    if (offences.length < listed) offences.push(offenceOf(number, what, draw, detail, shot))
  }

  for (let number = 1; number <= count; number++) {
    if (number % callsPerTarget === 0) {
      await target.close()
      target = await open()
      onProgress?.(number)
    }
    const draw = drawProposal(subjects, random)
    const writes = random.chance(0.5)
    const thorough = random.chance(thoroughShare)
    const fire = (again: number): Promise<Shot> => {
      const tool = writes && draw.subject !== undefined ? writerOf(draw.subject.name) : draw.tool
      return target.call(tool, draw.arguments, writes ? `run-${number % 50}-${again}` : undefined)
    }
    byKind[draw.kind] = (byKind[draw.kind] ?? 0) + 1
    try {
      const shot = await fire(0)
      const found = shot.answer.observation.status.taxonomy_class
      byClass[found] = (byClass[found] ?? 0) + 1
      if (shot.reached !== undefined) counts.executed++
      for (const what of judgeShot(draw, shot, opinions, thorough)) offend(number, what, draw, '', shot)
      const ms = shot.ms <= slowMs ? shot.ms : await leastOf(fire, shot.ms)
      if (ms > slowMs) offend(number, 'slow', draw, `${ms.toFixed(1)} ms`, shot)
      else if (shot.ms > slowMs) counts.slow_once++
      maxMs = Math.max(maxMs, ms)
      maxByKind[draw.kind] = Math.max(maxByKind[draw.kind] ?? 0, Math.round(ms * 10) / 10)
      noteSlowest(slowest, { number, kind: draw.kind, class: found, ms: Math.round(ms * 10) / 10 })
    } catch (error) {
      offend(
        number,
        'exceptions',
        draw,
        error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error),
      )
    }
  }
  await target.close()
  return {
    count,
    seed,
    max_ms: Math.round(maxMs * 10) / 10,
    ...counts,
    by_class: byClass,
    by_kind: byKind,
    max_ms_by_kind: maxByKind,
    slowest,
    offences,
  }
}

/** The compiling of a schema at its first call does not count. */
async function warm(target: FuzzTarget): Promise<FuzzTarget> {
  for (const { name, examples } of subjects) {
    for (const tool of [name, writerOf(name)]) {
      for (const given of [...examples, { unknown: [] }]) await target.call(tool, given, 'warm-up')
    }
  }
  return target
}

/** The machine is shared: a call is slow only if it is slow each time. */
async function leastOf(fire: (again: number) => Promise<Shot>, first: number): Promise<number> {
  let least = first
  for (let again = 1; again <= repeats && least > slowMs; again++) least = Math.min(least, (await fire(again)).ms)
  return least
}

function noteSlowest(slowest: FuzzResult['slowest'][number][], entry: FuzzResult['slowest'][number]): void {
  const last = slowest.at(-1)
  if (slowest.length >= 10 && last !== undefined && entry.ms <= last.ms) return
  slowest.push(entry)
  slowest.sort((a, b) => b.ms - a.ms)
  slowest.length = Math.min(slowest.length, 10)
}

function offenceOf(number: number, what: Offence['what'], draw: Draw, detail: string, shot: Shot | undefined): Offence {
  return {
    number,
    what,
    kind: draw.kind,
    tool: typeof draw.tool === 'string' ? draw.tool.slice(0, 80) : typeof draw.tool,
    class: shot?.answer.observation.status.taxonomy_class ?? '',
    arguments: typeof draw.arguments === 'string' ? draw.arguments.slice(0, 400) : shown(draw.arguments),
    detail: shot?.reached === undefined ? detail : `${detail} reached with ${shown(shot.reached.args)}`,
  }
}

function shown(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? typeof value).slice(0, 400)
  } catch {
    return typeof value
  }
}

/** Whether anything happened that must not happen. */
export function isClean({ exceptions, slow, let_through, over_refused, bad_observations }: FuzzResult): boolean {
  return exceptions + slow + let_through + over_refused + bad_observations === 0
}
