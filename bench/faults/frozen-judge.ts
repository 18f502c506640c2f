// Judges a saga whose compensation failed, while it stands still: one open question about that very call, a journal that tells how it came
// there and goes no further, and a world that has what the journal says and nothing else.
import type { JournalEntry, SagaView } from '../../src/index.ts'
import type { Host } from './host.ts'
import { openQuestionsOf } from './open-questions.ts'
import { stepEffect, stepIds, undoEffect } from './saga-spec.ts'
import type { Site } from './site.ts'

/** As it was before anything was mended. */
export interface FrozenSaga {
  readonly journal: readonly JournalEntry[]
  readonly problems: readonly string[]
}

export async function judgeFrozen(site: Site, host: Host, op: string, view: SagaView): Promise<FrozenSaga> {
  const journal = await host.proviso.sagas.journal(view.id)
  const questions = await openQuestionsOf(host, op)
  const asked = questions.map(({ kind, callId }) => `${kind} of ${callId}`)
  const problems: string[] = []
  if (view.state !== 'COMPENSATION_FAILED') problems.push(`it stands still as ${view.state}`)
  if (view.dueAt !== undefined) problems.push('it stands still, and would be taken up without a person')
  if (asked.length !== 1 || asked[0] !== `compensation_failed of ${view.frozen?.call}`)
    problems.push(`people are asked ${asked.length} times: ${asked.join(', ')}`)
  problems.push(...endingProblems(journal), ...(await worldProblems(site, op, journal)))
  return { journal, problems: problems.map((what) => `${op} cannot be undone: ${what}`) }
}

/** Its last two lines: how the compensation ended, and that the saga stands still for it. */
function endingProblems(journal: readonly JournalEntry[]): readonly string[] {
  const [ended, frozen] = journal.slice(-2)
  const problems: string[] = []
  if (frozen?.kind !== 'frozen' || frozen.direction !== 'backward')
    return [`the journal ends with ${frozen?.kind} instead of saying so`]
  if (ended?.kind !== 'ended' || ended.step !== frozen.step || ended.direction !== 'backward' || ended.ok)
    problems.push(`the journal does not say how undoing ${frozen.step} ended`)
  else if (ended.call !== frozen.call) problems.push('the journal asks about another call than the one that failed')
  if (journal.filter(({ kind }) => kind === 'turned').length !== 1) problems.push('the journal does not turn back once')
  if (journal.some(({ kind }) => kind === 'finished')) problems.push('the journal has an end')
  if (journal.some(({ seq }, index) => seq !== index + 1)) problems.push('the journal has a gap')
  return problems
}

async function worldProblems(site: Site, op: string, journal: readonly JournalEntry[]): Promise<readonly string[]> {
  const happened = (step: string, direction: string) =>
    journal.some(
      (line) =>
        line.kind === 'ended' && line.step === step && line.direction === direction && line.effect === 'happened',
    )
  const problems: string[] = []
  for (const [index, step] of stepIds.entries()) {
    const done = await site.fired(stepEffect(op, index + 1))
    const undone = await site.fired(undoEffect(op, index + 1))
    if (done !== Number(happened(step, 'forward')))
      problems.push(`${step} is there ${done} times, and the journal differs`)
    if (undone !== Number(happened(step, 'backward')))
      problems.push(`${step} is undone ${undone} times, and the journal differs`)
  }
  return problems
}
