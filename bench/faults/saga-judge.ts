// Judges one saga from outside: what is in the world, what the journal says, and whether the two are one story.
import type { JournalEntry, SagaState } from '../../src/index.ts'
import { factGaps } from './fact-gaps.ts'
import type { FrozenSaga } from './frozen-judge.ts'
import type { Host } from './host.ts'
import { readSlots, type SlotState } from './judge.ts'
import { openQuestionsOf } from './open-questions.ts'
import { needsPerson, pivotAt, type SagaSpec, stepEffect, stepIds, undoEffect } from './saga-spec.ts'
import type { Site } from './site.ts'
import type { Judgement } from './tally.ts'

export interface SagaEvidence {
  readonly op: string
  readonly id: string
  readonly spec: SagaSpec
  readonly host: Host
  /** What its caller was told. */
  readonly told: SagaState | undefined
  /** The tools of the steps of which a person had to say what became of them. */
  readonly held: readonly string[]
  /** How it stood still with a question to a person, as it must where it cannot be undone. */
  readonly frozen: FrozenSaga | undefined
  /** Whether nothing but the process was lost: then it must end as it would have without that. */
  readonly strict: boolean
}

export async function judgeSaga(site: Site, evidence: SagaEvidence): Promise<Judgement> {
  const { op, id, spec, host, held, told, frozen } = evidence
  const view = await host.proviso.sagas.get(id)
  const journal = await host.proviso.sagas.journal(id)
  const state = view?.state ?? 'RUNNING'
  const forward = await Promise.all(stepIds.map((_, index) => site.fired(stepEffect(op, index + 1))))
  const back = await Promise.all(stepIds.map((_, index) => site.fired(undoEffect(op, index + 1))))
  const lost = [
    ...worldProblems(state, forward, back).map((what) => `${op}: ${what} (${forward} done, ${back} undone, ${state})`),
    ...journalProblems(journal).map((what) => `${op}: ${what}`),
    ...(told === 'COMPLETED' && state !== 'COMPLETED' ? [`${op} was told to be COMPLETED and is ${state}`] : []),
    ...(told === 'COMPENSATED' && state !== 'COMPENSATED' ? [`${op} was told to be COMPENSATED and is ${state}`] : []),
  ]
  const last = journal.at(-1)
  const stuck =
    state === 'COMPLETED' || state === 'COMPENSATED'
      ? []
      : [`${op} stays ${state} in epoch ${view?.epoch} after ${last?.seq} ${last?.kind}`]
  const wanted = wantedState(spec, evidence.strict)
  if (wanted !== undefined && stuck.length === 0 && state !== wanted)
    lost.push(`${op} ends as ${state} instead of ${wanted}: ${view?.turned?.message ?? 'it never turned'}`)
  if (frozen !== undefined) lost.push(...frozen.problems, ...rewritten(frozen, journal).map((what) => `${op}: ${what}`))
  else if (spec.outcome === 'cannot be undone' && evidence.strict)
    lost.push(`${op} could not be undone, and no person was asked`)
  const slots = await readSlots(site, op)
  const calls = await host.proviso.calls.list({ run: op, limit: 1_000 })
  const facts = new Map(
    await Promise.all(calls.map(async (call) => [call.id, await host.proviso.calls.facts(call.id)] as const)),
  )
  const factsMissing = [...facts].flatMap(([call, own]) =>
    factGaps({ call, facts: own, slot: slots.find(({ call_id }) => call_id === call) }),
  )
  const recovered =
    journal.some(({ epoch }) => epoch > 1) ||
    [...facts.values()].some((own) => own.some(({ verdict }) => verdict.kind === 'recovered'))
  return {
    fired: Math.max(...forward, ...back),
    lost,
    stuck,
    factsMissing,
    falseAnswers: [],
    recovered,
    held: held.length > 0,
    heldNeedlessly: [
      ...held.filter((tool) => !needsPerson(tool)).map((tool) => `${tool} has a way to be asked`),
      ...(frozen !== undefined && spec.outcome !== 'cannot be undone' ? [`${op} stood still, and can be undone`] : []),
      // Once it is over, there is nothing left to ask about.
      ...(stuck.length > 0 ? [] : await leftOver(evidence, slots)),
    ],
  }
}

async function leftOver({ host, op }: SagaEvidence, slots: readonly SlotState[]): Promise<readonly string[]> {
  const questions = await openQuestionsOf(host, op)
  return [
    ...questions.map(({ callId, kind, message }) => `people are still asked about ${callId}, ${kind}: ${message}`),
    ...slots.filter((slot) => slot.held).map(({ call_id, status }) => `${call_id} is still held as ${status}`),
  ]
}

/** What stood in the journal when it stood still stays there, and a person let it go on. */
function rewritten({ journal: before }: FrozenSaga, journal: readonly JournalEntry[]): readonly string[] {
  const same = JSON.stringify(journal.slice(0, before.length)) === JSON.stringify(before)
  return [
    ...(same ? [] : ['the journal was rewritten after the saga had stood still']),
    ...(journal[before.length]?.kind === 'resumed' ? [] : ['it went on without a person']),
  ]
}

/** Undefined where the loss of a connection may have turned it back. */
function wantedState({ outcome }: SagaSpec, strict: boolean): SagaState | undefined {
  switch (outcome) {
    case 'succeeds':
    case 'step 4 fails':
      return strict ? 'COMPLETED' : undefined
    default:
      return 'COMPENSATED'
  }
}

function worldProblems(state: SagaState, forward: readonly number[], back: readonly number[]): readonly string[] {
  switch (state) {
    case 'COMPLETED':
      return forward.every((times) => times === 1) && back.every((times) => times === 0)
        ? []
        : ['completed, and the world does not have every step once']
    case 'COMPENSATED':
      return [
        ...(forward.every((times, index) => times === back[index])
          ? []
          : ['compensated, and what was done is not undone once']),
        ...(forward.slice(pivotAt - 1).every((times) => times === 0) ? [] : ['compensated behind its pivot']),
      ]
    default:
      return []
  }
}

/** Lines without gaps, every call written down before it was made, and one end. */
function journalProblems(journal: readonly JournalEntry[]): readonly string[] {
  const problems: string[] = []
  const rendered = new Set<string>()
  journal.forEach((line, index) => {
    if (line.seq !== index + 1) problems.push(`line ${index + 1} of the journal is missing`)
    if (line.kind === 'rendered') rendered.add(`${line.step} ${line.direction} ${line.round}`)
    if (line.kind === 'ended' && !rendered.has(`${line.step} ${line.direction} ${line.round}`))
      problems.push(`${line.step} was called before that was written down`)
  })
  const ends = journal.filter(({ kind }) => kind === 'finished').length
  if (ends !== 1) problems.push(`the journal has ${ends} ends`)
  return problems
}
