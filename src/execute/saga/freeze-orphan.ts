// Freezes a saga whose definition no process knows any more: without it, no process can say what comes next, and no person would learn of
// it. One write: the line, the state and the question to people.
import type { SagaRecord } from '../../contract/saga/saga.ts'
import { toIso } from '../../json/clock.ts'
import { uuidv7 } from '../../json/id.ts'
import { foldJournal, type JournalLine, type SagaProgress } from './fold-journal.ts'
import type { SagaPorts } from './saga-ports.ts'

/** The saga must be claimed. Where another process owns it by now, nothing is written. */
export async function freezeOrphan(saga: SagaRecord, ports: SagaPorts): Promise<void> {
  const { store, clock, entropy } = ports
  const { tenant, id, epoch } = saga
  const journal = await store.journal(id, tenant)
  const progress = foldJournal(journal)
  const { direction } = progress
  const step = nextStep(saga, progress)
  const at = clock.now()
  // Before its first call there is none to ask about; the question is then known by an id of its own.
  const call = (await slotCall(saga, step, progress, ports)) ?? lastCall(journal) ?? uuidv7(at, entropy)
  const message = messageOf(saga, step)
  await store.append({
    ...{ tenant, id, epoch, direction },
    seq: journal.length,
    entries: [{ kind: 'frozen', step, direction, call, message, orphaned: true }],
    state: 'FROZEN',
    dueMs: undefined,
    escalations: [{ id: uuidv7(at, entropy), tenant, callId: call, kind: 'saga_stalled', message, at }],
  })
}

/** By the plan: the definition itself is not there. */
function nextStep({ plan }: SagaRecord, { direction, track }: SagaProgress): string {
  const step =
    direction === 'forward'
      ? (plan.find(({ id }) => !track(id, 'forward').done) ?? plan.at(-1))
      : (plan.findLast(({ id }) => track(id, 'forward').happened && !track(id, 'backward').done) ?? plan[0])
  return step?.id ?? ''
}

/** The call of the step: its owner may have made it and ended before it wrote that down. */
async function slotCall(
  { tenant, id }: SagaRecord,
  step: string,
  { direction, track }: SagaProgress,
  ports: SagaPorts,
): Promise<string | undefined> {
  const { rendered } = track(step, direction)
  if (rendered === undefined) return undefined
  const { tool, round } = rendered
  return (await ports.slot(tenant, ports.slotKey(tenant, tool, { id, step, direction, round })))?.callId
}

const lastCall = (journal: readonly JournalLine[]) =>
  journal.flatMap((line) => (line.kind === 'ended' || line.kind === 'waiting' ? [line.call] : [])).at(-1)

function messageOf({ id, name, version, definition, direction, updatedAt }: SagaRecord, step: string): string {
  const named = `${name}${version === undefined ? '' : ` version ${version}`}`
  const way = direction === 'forward' ? 'at step' : 'on its way back, at step'
  return (
    `Saga ${id} stands still ${way} ${step}, since ${toIso(updatedAt)}: no running process knows the definition it was begun with, ` +
    `${named}, hash ${definition}. Register that definition again and let the saga go on with proviso sagas resume ${id}, ` +
    `or finish by hand what proviso sagas show ${id} says is open.`
  )
}
