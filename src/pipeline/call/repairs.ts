// Ends loops of repairs. A refusal that the model is to mend is counted before it is answered; where the model only repeats itself, it gets
// one constant answer instead, and a person is asked. A valid proposal always passes, and lets the count begin anew.
import type { RepairLink } from '../../contract/call/call.ts'
import { respond } from '../../contract/call/respond.ts'
import type { Call, Conclusion } from '../../contract/call/stages.ts'
import { canonicalize } from '../../json/canonical.ts'
import type { EpochMs } from '../../json/clock.ts'
import { hashFields, sha256 } from '../../json/hash.ts'
import type { Repairs } from '../../ledger/ports/repairs.ts'
import { type RepairScope, repairScopeKey } from '../../ledger/rules/repair.ts'
import type { Deps, RepairBook } from '../deps.ts'
import { stop } from '../phase.ts'
import type { Draft } from './draft.ts'
import { escalation } from './escalations.ts'

const defaultMaxRepairs = 3

type Stopped = Extract<Conclusion, { kind: 'stop' }>

/** What the pass comes to, once its repairs are counted. */
export function countRepair(draft: Draft, conclusion: Conclusion, deps: Deps): Conclusion | Promise<Conclusion> {
  // Steps of sagas have limits of their own, and names of unknown tenants come from anywhere.
  if (draft.saga !== undefined || !draft.tenantKnown || draft.badContext !== undefined) return conclusion
  if (conclusion.kind === 'stop' && isToBeRepaired(draft, conclusion)) return refused(draft, conclusion, deps)
  if (isValid(draft))
    noteRepair(
      draft,
      deps.repairs.repaired(() => scopeOf(draft), draft.startedAt),
    )
  return conclusion
}

const isToBeRepaired = ({ effect, tool }: Draft, { class: given, reason }: Stopped) =>
  respond({ class: given, reason, effect, errorContract: tool?.contract.error_contract }).repairable

async function refused(draft: Draft, conclusion: Stopped, deps: Deps): Promise<Conclusion> {
  const at = deps.clock.now()
  const payload = payloadHash(draft)
  const errors = hashFields('proviso.repair-errors.v1', [
    conclusion.class,
    conclusion.reason,
    canonicalize(conclusion.errors.map(({ field, expected, actual, message }) => [field, expected, actual, message])),
  ])
  try {
    const { halted, repairs } = await deps.repairs.refused(scopeOf(draft), {
      payload,
      errors,
      callId: draft.id,
      providerCallId: draft.proposal.callId,
      at,
      openedAt: draft.startedAt,
      maxRepairs: draft.tool?.binding.maxRepairs ?? deps.repairs.maxRepairs,
      question: escalation(draft, 'repair_exhausted', questionText(draft), deps),
    })
    draft.repair = {
      repairs: repairs ?? null,
      refused: { payload, errors, fingerprint: hashFields('proviso.repair.v1', [payload, errors]) },
    }
    return halted ? stop(conclusion.class, 'repair_exhausted', exhausted) : conclusion
  } catch (fault) {
    // A refusal stands also where it could not be counted.
    deps.report(fault)
    return conclusion
  }
}

/** One text for all: a model that reads something new in every round has a reason for another. */
const exhausted =
  'Calls of this kind were refused again and again. Do not repair this one. Stop, and tell the user what is missing. A person has been asked.'

const questionText = ({ tool }: Draft) =>
  `A model repeats itself: its calls of ${tool?.contract.identity.name ?? 'tools that do not exist'} are refused again and again. It is not asked to repair them any more.`

/** All that the refusal may hang on: what was proposed, and the state that was read. */
function payloadHash({ inputHash, proposal, state, reading }: Draft): string {
  const given = inputHash !== '' ? inputHash : sha256(typeof proposal.arguments === 'string' ? proposal.arguments : '')
  const refusal = reading.ok ? null : reading.refusal.code
  return hashFields('proviso.repair-payload.v1', [
    proposal.tool,
    given,
    refusal,
    state === undefined ? null : canonicalize(state),
  ])
}

function scopeOf({ tenant, run, principal, turn, tool }: Draft): RepairScope {
  const { agent, user } = principal
  const name = tool?.contract.identity.name ?? ''
  return { tenant, run, agent, user, turn, tool: name, contractHash: tool?.contractHash ?? '' }
}

/** Its arguments have passed every gate that judges them. */
const isValid = ({ trail }: Call) =>
  trail.some(({ phase, verdict }) => phase === 'semantics' && verdict.kind === 'pass')

function noteRepair(draft: Draft, repairs: RepairLink | undefined): void {
  if (repairs !== undefined) draft.repair = { repairs, refused: null }
}

/** Scopes of which this process remembers that something of them was refused; the oldest are forgotten first. */
const maxOpenScopes = 10_000

export function createRepairBook(
  repairs: Repairs,
  {
    maxRepairs = defaultMaxRepairs,
    report,
  }: { readonly maxRepairs: number | undefined; readonly report: (fault: unknown) => void },
): RepairBook {
  const open = new Map<string, OpenScope>()
  const writes = new Set<Promise<unknown>>()

  /** One after another within a scope: a refusal is counted after the valid proposal that came before it. */
  const write = <T>(scope: OpenScope | undefined, work: () => T | Promise<T>): Promise<T> => {
    const writing = (scope?.writing ?? Promise.resolve()).then(work)
    const settled: Promise<unknown> = writing.then(
      () => writes.delete(settled),
      () => writes.delete(settled),
    )
    writes.add(settled)
    if (scope !== undefined) scope.writing = settled
    return writing
  }

  return {
    maxRepairs,
    async refused(scope, refusal) {
      const key = repairScopeKey(scope)
      const known = open.get(key) ?? { newest: undefined, writing: Promise.resolve() }
      open.delete(key)
      open.set(key, known)
      if (open.size > maxOpenScopes) open.delete(open.keys().next().value ?? '')
      const count = await write(known, () => repairs.refused(scope, refusal))
      const { callId: of, payload, errors, at } = refusal
      known.newest = { at, link: { of, number: (count.repairs?.number ?? 0) + 1, payload, errors } }
      return count
    },
    repaired(scopeOfCall, openedAt) {
      if (open.size === 0) return undefined
      const scope = scopeOfCall()
      const key = repairScopeKey(scope)
      const known = open.get(key)
      if (known === undefined) return undefined
      // Behind the answer: nothing waits for it. Where it is lost, the next refusal finds the valid call on record.
      write(known, () => repairs.repaired(scope)).then(() => {
        if (open.get(key) === known && known.newest === undefined) open.delete(key)
      }, report)
      const { newest } = known
      known.newest = undefined
      return newest !== undefined && newest.at <= openedAt ? newest.link : undefined
    },
    async idle() {
      await Promise.all(writes)
    },
  }
}

/** A scope with refusals that no valid proposal has followed yet. */
interface OpenScope {
  newest: { readonly at: EpochMs; readonly link: RepairLink } | undefined
  writing: Promise<unknown>
}
