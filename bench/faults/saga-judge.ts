// Judges one saga from outside: what is in the world, what the journal says, and whether the two are one story.
import type { JournalEntry, SagaState } from '../../src/index.ts'
import { factGaps } from './fact-gaps.ts'
import type { Host } from './host.ts'
import { readSlots } from './judge.ts'
import { needsPerson, pivotAt, type SagaSpec, stepEffect, stepIds, undoEffect } from './saga-spec.ts'
import type { Site } from './site.ts'
import type { Judgement } from './tally.ts'

export interface SagaEvidence {
  readonly op: string
  readonly id: string
  readonly spec: SagaSpec
  readonly host: Host
  /** What whoever began it was told. */
  readonly told: SagaState | undefined
  /** The tools of the steps of which a person had to say what became of them. */
  readonly held: readonly string[]
  /** Whether it stood still with a question to a person, as it must where it cannot be undone. */
  readonly frozen: boolean
  /** What people are still asked on its behalf. */
  readonly openQuestions: readonly string[]
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
  if (spec.outcome === 'cannot be undone' && evidence.strict && !frozen)
    lost.push(`${op} could not be undone, and nobody was asked`)
  for (const question of evidence.openQuestions) stuck.push(`${op}: people are still asked, ${question}`)
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
    heldNeedlessly: held.some((tool) => !needsPerson(tool)),
  }
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
