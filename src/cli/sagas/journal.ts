// One saga for a person and for a program: how it stands, and its journal as a timeline.
import type { JournalEntry, SagaRecord, SagaState } from '../../contract/saga/saga.ts'
import { type SagaView, viewSaga } from '../../execute/saga/saga-view.ts'
import { toIso } from '../../json/clock.ts'
import type { JsonObject } from '../../json/value.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { CommandIo, CommandResult } from '../command.ts'
import { cutText, lineText } from '../plain-text.ts'
import { printResult, textTable } from '../print.ts'
import type { Colours } from '../terminal.ts'

/** Ends with 1 where the saga stands still until a person resumes it. */
export async function showSaga({ sagas }: Ledger, saga: SagaRecord, io: CommandIo): Promise<CommandResult> {
  const journal = await sagas.journal(saga.id, saga.tenant)
  const view = viewSaga(saga, journal)
  const fine = view.frozen === undefined
  const { colours } = io
  const { bold, dim } = colours
  const about = `tenant ${lineText(view.tenant)}, run ${lineText(view.run)}, input ${cutText(JSON.stringify(view.input), 200)}`
  const steps = view.steps.map(({ id, tool, kind, compensation, state }) => [
    `  ${id}`,
    lineText(tool),
    dim(kind),
    dim(compensation === null ? '' : `undone by ${lineText(compensation)}`),
    state,
  ])
  const startedAt = journal[0]?.at ?? saga.createdAt
  const entries = journal.map((entry) => [
    dim(String(entry.seq)),
    dim(toIso(entry.at).slice(11, 23)),
    dim(`+${((entry.at - startedAt) / 1_000).toFixed(1)} s`),
    dim(`epoch ${entry.epoch}`),
    entryText(entry, colours),
  ])
  const wire = { ...wireView(view), journal: journal.map(wireEntry) }
  const result = printResult(
    io,
    wire,
    [
      `${bold(lineText(view.name))}  ${view.id}  ${sagaShade(view.state, colours)(view.state)}`,
      dim(about),
      textTable(steps),
      '',
      textTable(entries),
    ],
    fine,
  )
  if (!fine && !io.json) io.note(dim('Mend the cause, then: proviso sagas resume SAGA --why TEXT'))
  return result
}

export const wireSaga = (saga: Omit<SagaRecord, 'input' | 'context' | 'plan' | 'seq'>): JsonObject => ({
  id: saga.id,
  name: saga.name,
  tenant: saga.tenant,
  state: saga.state,
  direction: saga.direction,
  epoch: saga.epoch,
  definition: saga.definition,
  started_at: toIso(saga.createdAt),
  updated_at: toIso(saga.updatedAt),
  due_at: saga.dueAt === undefined ? null : toIso(saga.dueAt),
})

const wireView = (view: SagaView): JsonObject => ({
  ...wireSaga(view),
  run: view.run,
  input: view.input,
  steps: view.steps.map(({ id, tool, kind, compensation, state, call, compensationCall, result, resultRef }) => ({
    id,
    tool,
    kind,
    compensation,
    state,
    call_id: call ?? null,
    compensation_call_id: compensationCall ?? null,
    result: result ?? null,
    result_ref: resultRef ?? null,
  })),
  waiting:
    view.waiting === undefined
      ? null
      : {
          step: view.waiting.step,
          for: view.waiting.for,
          call_id: view.waiting.call,
          approval_id: view.waiting.approval ?? null,
          message: view.waiting.message,
        },
  frozen:
    view.frozen === undefined
      ? null
      : { step: view.frozen.step, call_id: view.frozen.call ?? null, message: view.frozen.message },
})

/** A line of the journal as it is kept, with its wire names. */
function wireEntry({ seq, epoch, at, ...entry }: JournalEntry): JsonObject {
  const { kind, ...rest } = entry
  const named = Object.entries(rest).map(([key, value]) => [key === 'call' ? 'call_id' : key, value] as const)
  return { seq, epoch, at: toIso(at), kind, ...Object.fromEntries(named) } as JsonObject
}

export function sagaShade(state: SagaState, { green, red, yellow }: Colours): (text: string) => string {
  switch (state) {
    case 'COMPLETED':
      return green
    case 'COMPENSATION_FAILED':
    case 'FROZEN':
      return red
    default:
      return yellow
  }
}

/** What happened, in one line. */
function entryText(entry: JournalEntry, { dim, green, red, yellow }: Colours): string {
  switch (entry.kind) {
    case 'rendered': {
      const args = cutText(JSON.stringify(entry.arguments), 120)
      const round = entry.round === 1 ? '' : ` (round ${entry.round})`
      return `${arrow(entry.direction)} ${entry.step}${round}: ${lineText(entry.tool)} ${dim(args)}`
    }
    case 'ended': {
      const end = entry.ok ? green(entry.direction === 'forward' ? 'done' : 'undone') : red(entry.class)
      const why = entry.ok ? '' : ` ${lineText(entry.message)}`
      return `${arrow(entry.direction)} ${entry.step}: ${end}, effect ${entry.effect}${why} ${dim(`call ${entry.call}`)}`
    }
    case 'waiting': {
      const what = { approval: 'an approval', effect: 'the effect to become known', retry: 'its next try' }[entry.for]
      const which = entry.approval === null ? '' : ` ${entry.approval}`
      return `${yellow('waits')} at ${entry.step} for ${what}${which}: ${lineText(entry.message)}${entry.escalated ? yellow(' (people are asked)') : ''}`
    }
    case 'turned':
      return `${red('turns back')} at ${entry.step}: ${lineText(entry.message)}`
    case 'frozen':
      return `${red('stands still')} at ${entry.step}: ${lineText(entry.message)}`
    case 'stated':
      return `${lineText(entry.by)} says ${entry.effect}: ${lineText(entry.why)}`
    case 'resumed':
      return `${yellow('resumed')} by ${lineText(entry.by)}${entry.effect === null ? '' : `, effect ${entry.effect}`}: ${lineText(entry.why)}`
    case 'finished':
      return entry.state === 'COMPLETED' ? green(entry.state) : yellow(entry.state)
  }
}

const arrow = (direction: 'forward' | 'backward') => (direction === 'forward' ? '→' : '←')
