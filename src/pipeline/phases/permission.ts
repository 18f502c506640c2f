// Who may. The slot's record is read here, once, so that whatever refuses from now on reports the record's effect.
import type { Effect } from '../../contract/answer.ts'
import type { CallGives } from '../../contract/call.ts'
import { judgeSlot, type SlotRecord, type SlotRef } from '../../contract/slot.ts'
import type { EpochMs } from '../../json/clock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { type Asking, findLack } from '../../policy/requirements.ts'
import { toolOf } from '../context.ts'
import { type Gate, pass, stop } from '../phase.ts'
import { slotOf } from '../slot-of.ts'

interface Evidence {
  /** Who asked this time: the same call may be made again by somebody else. */
  readonly asking: Asking
  readonly ref: SlotRef | undefined
  readonly record: SlotRecord | undefined
  readonly now: EpochMs
}

export const permission: Gate<Evidence> = {
  name: 'permission',
  does: 'Tenant, run and scopes of the principal.',
  stopsWith: [
    {
      class: 'PERMISSION_DENIED',
      reasons: ['bad_context', 'unknown_tenant', 'missing_tenant', 'missing_run', 'missing_scope'],
    },
  ],
  gather(call, { ledger, clock }) {
    const ref = slotOf(call)
    const { principal, tenantKnown, tenantNamed, run, badName } = call
    const asking = { principal, tenantKnown, tenantNamed, run, badName }
    if (ref === undefined) return { asking, ref, record: undefined, now: clock.now() }
    const { lookedUp } = call
    if (lookedUp?.key === ref.key) return { asking, ref, record: lookedUp.record, now: lookedUp.at }
    return readSlot(asking, ref, ledger)
  },
  decide(call, { asking, ref, record, now }) {
    const known: CallGives = {
      effect: ref === undefined ? call.effect : effectOf(record, ref, now),
      ...(ref === undefined ? {} : { slotRef: ref, judgedAt: now }),
      ...(record === undefined ? {} : { slotRecord: record }),
    }
    const lack = findLack(asking, toolOf(call))
    if (lack !== undefined) return stop('PERMISSION_DENIED', lack.reason, lack.message, { gives: known })
    return ref === undefined ? pass : { kind: 'pass', gives: known }
  },
  // The answer is not the fact's to keep, and of the ids seen only whether this one is among them.
  keep(evidence) {
    const { record, ref } = evidence
    if (record === undefined) return evidence
    const providerCallIds = record.providerCallIds.filter((id) => id === ref?.providerCallId)
    return { ...evidence, record: { ...record, providerCallIds, answer: undefined } }
  },
}

async function readSlot(asking: Asking, ref: SlotRef, ledger: Ledger): Promise<Evidence> {
  const { record, at } = await ledger.slot(ref.tenant, ref.key, ref.providerCallId)
  return { asking, ref, record, now: at }
}

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
