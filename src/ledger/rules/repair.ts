// How often a model may be sent back to mend its call. What is kept of a scope are hashes and counts; every engine keeps the same state and
// moves it by these functions, so that all processes come to the same count.
import type { Escalation } from '../../contract/approval/approval.ts'
import type { RepairLink } from '../../contract/call/call.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashFields } from '../../json/hash.ts'

export interface RepairScope {
  readonly tenant: string
  readonly run: string | undefined
  readonly agent: string | undefined
  /** Calls outside of runs are counted for each user. */
  readonly user: string | undefined
  readonly turn: string | undefined
  /** Empty for all names that no tool has: a model that makes names up is one scope. */
  readonly tool: string
  readonly contractHash: string
}

export function repairScopeKey({ tenant, run, agent, user, turn, tool, contractHash }: RepairScope): string {
  const who = [run ?? null, agent ?? null, run === undefined ? (user ?? null) : null, turn ?? null]
  return hashFields('proviso.repair-scope.v1', [tenant, ...who, tool, contractHash])
}

/** Refusals that were answered, newest last. */
interface Refused {
  readonly payload: string
  readonly errors: string
  readonly callId: string
  /** The id that the provider gave the call; undefined: none did, and each call is another. */
  readonly providerCallId: string | undefined
  readonly at: EpochMs
}

export interface RepairState {
  /** Refusals since the last valid proposal. */
  readonly consecutive: number
  readonly refused: readonly Refused[]
  /** How often calls were delivered again, under their own ids, after they had been refused. */
  readonly deliveries: number
  readonly halted: boolean
  /** The question to a person; a scope has one, which is opened again where it halts once more. */
  readonly escalation: string | undefined
}

export interface RepairRefusal extends Refused {
  /** When the proposal came in: what was refused after that cannot have been known to the model. */
  readonly openedAt: EpochMs
  readonly maxRepairs: number
  /** The question to a person, where the scope halts with this refusal. */
  readonly question: Escalation
}

export interface RepairVerdict {
  readonly state: RepairState
  readonly halted: boolean
  /** Opened where the scope halts now; the same one is opened again where it was halted before. */
  readonly asks: Escalation | undefined
  readonly repairs: RepairLink | undefined
}

/** So many of the last refusals are compared with. */
export const maxRefusedKept = 50

/** A provider delivers a call a few times; a loop whose ids never change does it for ever. */
export const maxDeliveries = 10

/** Without turns, a pause of this length begins anew. */
export const repairIdleMs = 900_000

const fresh: RepairState = Object.freeze({
  consecutive: 0,
  refused: [],
  deliveries: 0,
  halted: false,
  escalation: undefined,
})

/** What a proposal at this moment goes on with. */
function repairStateAt(state: RepairState | undefined, { turn }: Pick<RepairScope, 'turn'>, at: EpochMs): RepairState {
  const last = state?.refused.at(-1)
  if (state === undefined || last === undefined) return state ?? fresh
  return turn !== undefined || at - last.at < repairIdleMs ? state : { ...fresh, escalation: state.escalation }
}

export function afterRefusal(
  before: RepairState | undefined,
  scope: RepairScope,
  refusal: RepairRefusal,
): RepairVerdict {
  const { payload, errors, callId, providerCallId, at, openedAt, maxRepairs, question } = refusal
  const state = repairStateAt(before, scope, at)
  const repairs = repairLink(state, openedAt)
  const same = state.refused.filter((earlier) => earlier.payload === payload)
  // The same proposal, delivered once more, is no new one.
  const delivered = same.find((earlier) => isDelivery(earlier, refusal))
  if (delivered !== undefined) {
    const deliveries = state.deliveries + (delivered.at <= openedAt ? 1 : 0)
    return { ...halting({ ...state, deliveries }, deliveries > maxDeliveries, question), repairs: undefined }
  }
  const isRepeated = same.some((earlier) => earlier.at <= openedAt)
  const consecutive = state.consecutive + 1
  const refused = [...state.refused, { payload, errors, callId, providerCallId, at }].slice(-maxRefusedKept)
  const ends = isRepeated || consecutive > maxRepairs
  return { ...halting({ ...state, consecutive, refused }, ends, question), repairs }
}

/** One that has halted stays so, and asks no further question. */
function halting(state: RepairState, ends: boolean, question: Escalation): Omit<RepairVerdict, 'repairs'> {
  if (state.halted || !ends) return { state, halted: state.halted, asks: undefined }
  const id = state.escalation ?? question.id
  return { state: { ...state, halted: true, escalation: id }, halted: true, asks: { ...question, id } }
}

/** A valid proposal: it was repaired. Payloads that were refused stay known. */
export const afterRepair = (state: RepairState): RepairState => ({
  ...state,
  consecutive: 0,
  deliveries: 0,
  halted: false,
})

/** The newest refusal that the model can have known when it proposed. */
function repairLink({ consecutive, refused }: RepairState, openedAt: EpochMs): RepairLink | undefined {
  const last = consecutive === 0 ? undefined : refused.findLast(({ at }) => at <= openedAt)
  return last === undefined
    ? undefined
    : { of: last.callId, number: consecutive, payload: last.payload, errors: last.errors }
}

const isDelivery = (earlier: Refused, { callId, providerCallId }: RepairRefusal) =>
  earlier.callId === callId || (providerCallId !== undefined && earlier.providerCallId === providerCallId)
