// Who may: tenant, run, scopes, and the permission rules. The slot's record is read here, once, so that each refusal from now on
// reports the record's effect.
import type { Effect } from '../../contract/call/answer.ts'
import type { SlotRecord, SlotRef } from '../../contract/call/slot.ts'
import type { JudgedCall } from '../../contract/call/stages.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ports/ledger.ts'
import type { SlotReading } from '../../ledger/ports/operations.ts'
import { judgeSlot } from '../../ledger/rules/slot.ts'
import { type Asking, findLack } from '../../policy/demands.ts'
import { asksOf, judgeVoices, type Voice, voiceName } from '../../policy/voices.ts'
import { slotOf } from '../call/same-operation.ts'
import { ruleContext } from '../call/tool-rules.ts'
import type { Deps } from '../deps.ts'
import { type Gate, type Gives, pass, passWith, stop } from '../phase.ts'

interface Evidence {
  /** Who asked this time: the same call may be made again by another principal. */
  readonly asking: Asking
  /** Only its key and kind are kept, for people: a replay derives the rest from the call. */
  readonly ref: SlotRef | Pick<SlotRef, 'kind' | 'key'> | undefined
  readonly record: SlotRecord | undefined
  /** Said only where it is so. */
  readonly contradicted?: boolean
  readonly now: EpochMs
  /** What the permission rules said. */
  readonly voices?: readonly Voice[]
}

type Given = Gives<JudgedCall, never, 'effect' | 'slotRef' | 'slotRecord' | 'contradicted' | 'judgedAt' | 'asks'>

export const permission: Gate<JudgedCall, Given, Evidence> = {
  name: 'permission',
  does: 'Tenant, run and scopes of the principal; permission rules of organisation, project, user and run.',
  stopsWith: [
    {
      class: 'PERMISSION_DENIED',
      reasons: ['bad_context', 'unknown_tenant', 'missing_tenant', 'missing_run', 'missing_scope', 'rule_denied'],
    },
  ],
  gather(call, deps) {
    const { ledger, clock } = deps
    const ref = refOf(call)
    const { principal, tenantKnown, tenantNamed, run, badContext } = call
    const asking = { principal, tenantKnown, tenantNamed, run, badContext }
    const voices = heardFor(call, deps)
    const spoken = voices === undefined ? {} : { voices }
    if (ref === undefined) return { asking, ref, record: undefined, now: clock.now(), ...spoken }
    // The same operation twice in one batch: the second is judged once the first has come to its end.
    const sibling = call.seat?.claims(ref.key)
    if (sibling !== undefined) return sibling.then(() => readSlot({ asking, ref, ...spoken }, ref, ledger))
    const { lookedUp } = call
    if (lookedUp?.key === ref.key) return { asking, ref, ...readingOf(lookedUp), ...spoken }
    return readSlot({ asking, ref, ...spoken }, ref, ledger)
  },
  decide(call, { asking, ref: seen, record, contradicted = false, now, voices = [] }) {
    const ref = seen === undefined || isWhole(seen) ? seen : refOf(call)
    const newAsks = asksOf(voices)
    const asks = newAsks.length === 0 && call.asks === undefined ? undefined : newAsks
    const known: Given =
      ref === undefined
        ? { asks }
        : {
            effect: contradicted ? 'unknown' : effectOf(record, ref, now),
            slotRef: ref,
            slotRecord: record,
            contradicted,
            judgedAt: now,
            asks,
          }
    const lack = findLack(asking, call.tool)
    if (lack !== undefined) return stop('PERMISSION_DENIED', lack.reason, lack.message, { gives: known })
    const { says, by } = judgeVoices(voices)
    if (says === 'deny' && by !== undefined)
      return stop('PERMISSION_DENIED', 'rule_denied', `${by.message} (rule ${voiceName(by)})`, { gives: known })
    return ref === undefined && asks === undefined ? pass : passWith(known)
  },
  // The answer is not the fact's to keep, and of the ids seen only whether this one is among them.
  keep(evidence, { proposal }) {
    const { record, ref } = evidence
    const kept = ref === undefined ? evidence : { ...evidence, ref: { kind: ref.kind, key: ref.key } }
    if (record === undefined) return kept
    const providerCallIds = record.providerCallIds.filter((id) => id === proposal.callId)
    return { ...kept, record: { ...record, providerCallIds, answer: undefined } }
  },
}

const refOf = (call: JudgedCall) => slotOf(call, call.tool, call.modelInput, call.callJson)

const isWhole = (ref: NonNullable<Evidence['ref']>): ref is SlotRef => 'operation' in ref

/** Undefined where there are no rules at all. */
function heardFor(call: JudgedCall, { permissions, clock }: Deps): readonly Voice[] | undefined {
  if (!permissions.speaks) return undefined
  const { principal, tenant } = call
  const context = ruleContext(call, clock.now())
  return permissions.hear(call.tool, { principal, tenant, arguments: call.permissionInput, context })
}

async function readSlot(known: Omit<Evidence, 'record' | 'now'>, ref: SlotRef, ledger: Ledger): Promise<Evidence> {
  return { ...known, ...readingOf(await ledger.operations.slot(ref.tenant, ref.key, ref.providerCallId)) }
}

const readingOf = ({ record, at, contradicted }: SlotReading): Pick<Evidence, 'record' | 'now' | 'contradicted'> =>
  contradicted === true ? { record, now: at, contradicted } : { record, now: at }

function effectOf(record: SlotRecord | undefined, ref: SlotRef, now: EpochMs): Effect {
  const judgement = judgeSlot(record, ref, now)
  switch (judgement.kind) {
    case 'absent':
    case 'generation':
    case 'retry':
      return 'none'
    default:
      return judgement.record.effect
  }
}
