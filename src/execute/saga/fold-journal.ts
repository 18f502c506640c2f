// What a journal says: how far each step is, in which direction the saga goes, and what it waits for. Pure, and the only reader of
// the journal's meaning: a process that takes a saga up decides by this alone, and by nothing that it remembers.
import type { SagaDirection, SagaEntry } from '../../contract/saga/saga.ts'
import type { EpochMs } from '../../json/clock.ts'

type Entry<Kind extends SagaEntry['kind']> = Extract<SagaEntry, { readonly kind: Kind }>

/** One step in one direction. */
export interface StepTrack {
  /** As it is called now: the newest round. */
  readonly rendered: Entry<'rendered'> | undefined
  /** How it ended last. */
  readonly ended: Entry<'ended'> | undefined
  /** How often it failed without effect. */
  readonly failures: number
  readonly done: boolean
  /** Whether its effect is there. */
  readonly happened: boolean
}

export type JournalLine = SagaEntry & { readonly at?: EpochMs }

export interface SagaProgress {
  readonly direction: SagaDirection
  /** Set while nothing has happened since. */
  readonly waiting: (Entry<'waiting'> & { readonly at?: EpochMs }) | undefined
  readonly frozen: Entry<'frozen'> | undefined
  readonly finished: Entry<'finished'> | undefined
  /** Calls that people are asked about on behalf of the saga, and have not answered. */
  readonly asked: readonly string[]
  track(step: string, direction: SagaDirection): StepTrack
}

const untouched: StepTrack = { rendered: undefined, ended: undefined, failures: 0, done: false, happened: false }

const trackKey = (step: string, direction: SagaDirection) => `${direction} ${step}`

export function foldJournal(lines: readonly JournalLine[]): SagaProgress {
  const tracks = new Map<string, StepTrack>()
  const track = (step: string, direction: SagaDirection) => tracks.get(trackKey(step, direction)) ?? untouched
  const change = (step: string, direction: SagaDirection, changes: Partial<StepTrack>) =>
    tracks.set(trackKey(step, direction), { ...track(step, direction), ...changes })
  /** A person says that it was not undone: it is undone under another slot, because the first one says that it was. */
  const anew = (step: string): Partial<StepTrack> => {
    const { rendered } = track(step, 'backward')
    return rendered === undefined ? {} : { rendered: { ...rendered, round: rendered.round + 1 }, ended: undefined }
  }
  let direction: SagaDirection = 'forward'
  let frozen: SagaProgress['frozen']
  let asked: readonly string[] = []
  for (const line of lines) {
    switch (line.kind) {
      case 'rendered':
        change(line.step, line.direction, { rendered: line })
        break
      case 'ended': {
        const { step, ok, effect } = line
        const before = track(step, line.direction).failures
        const failures = ok || effect === 'happened' ? before : before + 1
        change(step, line.direction, { ended: line, done: ok, happened: effect === 'happened', failures })
        if (ok) asked = []
        break
      }
      case 'waiting':
        if (line.escalated) asked = [...asked, line.call]
        break
      case 'turned':
        direction = 'backward'
        break
      case 'frozen':
        frozen = line
        if (line.call !== null) asked = [...asked, line.call]
        break
      case 'resumed': {
        // For a step in doubt the person's word counts; everything else is tried once more.
        if (frozen !== undefined && frozen.orphaned !== true && line.effect !== null) {
          const happened = line.effect === 'happened'
          // A step that was never called is behind the pivot, where there is no way back: it is rendered once more.
          const wasCalled = track(frozen.step, frozen.direction).ended !== undefined
          change(frozen.step, frozen.direction, { done: happened, happened })
          if (!happened && frozen.direction === 'backward') change(frozen.step, 'backward', anew(frozen.step))
          if (!happened && wasCalled) direction = 'backward'
        }
        frozen = undefined
        asked = []
        break
      }
      case 'stated':
      case 'finished':
        break
    }
  }
  const last = lines.at(-1)
  return {
    direction,
    waiting: last?.kind === 'waiting' ? last : undefined,
    frozen,
    finished: last?.kind === 'finished' ? last : undefined,
    asked,
    track,
  }
}
