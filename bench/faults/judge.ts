// Holds an operation to what was promised: by what its callers were told, what the ledger has, and what the world shows.
import type { Fact } from '../../src/contract/call/fact.ts'
import { factGaps } from './fact-gaps.ts'
import type { Host, Told } from './host.ts'
import type { Site } from './site.ts'
import type { Judgement } from './tally.ts'
import { isRecoverable, type ToolSpec } from './tool-spec.ts'

export interface SlotState {
  readonly call_id: string
  readonly status: string
  readonly effect: string
  readonly held: boolean
  readonly attempt: number
  /** Whether a person is asked about it. */
  readonly asked: boolean
}

const slotsOf = `select k.call_id::text, k.status, k.effect, k.held, k.attempt,
    exists (select 1 from proviso.escalations e where e.call_id = k.call_id and e.resolved_at is null) as asked
  from proviso.idempotency_keys k where k.run = $1`

export const readSlots = (site: Site, op: string): Promise<readonly SlotState[]> => site.query<SlotState>(slotsOf, [op])

/** Over, or a person is asked. */
export const isSettled = ({ status, held, asked }: SlotState) => status !== 'PENDING' || (held && asked)

export interface Evidence {
  readonly op: string
  readonly spec: ToolSpec
  /** Through whom the ledger is read. */
  readonly host: Host
  readonly told: readonly Told[]
  /** Answers that said `none` while the effect was there. */
  readonly falseAnswers?: readonly string[]
  /** Whether the provider would still honour the key when it was asked for. */
  readonly windowOpen?: boolean
  /** It was to be done: in the end it must be there, unless it is held. */
  readonly wanted?: boolean
}

export async function judge(site: Site, evidence: Evidence): Promise<Judgement> {
  const { op, spec, told, falseAnswers = [], windowOpen = true, wanted = true } = evidence
  const slots = await readSlots(site, op)
  const calls = await factsOf(evidence.host, op)
  const fired = await site.fired(op)
  const held = slots.some((slot) => slot.held)
  const lost: string[] = []
  if (told.some(({ effect }) => effect === 'happened')) {
    if (fired === 0) lost.push(`${op} was told to have happened, and the world does not have it`)
    if (!slots.some(({ effect }) => effect === 'happened')) {
      lost.push(`${op} was told to have happened, and the ledger does not have it`)
    }
  }
  const stuck = slots.filter((slot) => !isSettled(slot)).map(({ call_id, status }) => `${call_id} stays ${status}`)
  if (wanted && stuck.length === 0 && !held && fired === 0) stuck.push(`${op} was wanted to the end and never done`)
  const factsMissing = [...calls].flatMap(([call, facts]) =>
    factGaps({ call, facts, slot: slots.find(({ call_id }) => call_id === call) }),
  )
  // A repeated answer carries the id of the call that was first given it, so closing facts are counted for the operation.
  const answered = told.filter(({ recorded }) => recorded)
  const closing = [...calls.values()].flat().filter(({ phase }) => phase === 'emit').length
  if (closing < answered.length) factsMissing.push(`${answered.length} answers were given and ${closing} are on record`)
  for (const { call } of answered) if (!calls.has(call)) factsMissing.push(`${call} was answered and is not known`)
  const recovered = [...calls.values()].some((facts) => facts.some(({ verdict }) => verdict.kind === 'recovered'))
  const heldNeedlessly = held && isRecoverable(spec) && windowOpen ? [`${spec.name} has a way to be asked`] : []
  return { fired, lost, stuck, factsMissing, falseAnswers, recovered, held, heldNeedlessly }
}

async function factsOf({ proviso }: Host, op: string): Promise<ReadonlyMap<string, readonly Fact[]>> {
  const calls = await proviso.calls.list({ run: op, limit: 1_000 })
  return new Map(await Promise.all(calls.map(async ({ id }) => [id, await proviso.calls.facts(id)] as const)))
}
