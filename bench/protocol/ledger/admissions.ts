// Looking an operation up, and admitting a call to it, with an approval where it needs one.
import type { ApprovalStatus } from '../../../src/contract/approval/approval.ts'
import type { StandingGrant } from '../../../src/contract/approval/standing-grant.ts'
import type { EpochMs } from '../../../src/json/clock.ts'
import { approvalStatusRule, isInForce, isUsable } from '../../../src/ledger/rules/permit.ts'
import { judgeSlot, slotVerdict } from '../../../src/ledger/rules/slot.ts'
import { decide } from '../../../src/ledger/rules/table.ts'
import { leaseMs, never, type Setting } from '../setting.ts'
import { type Approval, type Generation, noProcess, type State, unseenOwner } from '../state.ts'
import { newest, now, numberOf, refOf, slotOfCall, viewOf } from './records.ts'

export interface LookedUp {
  readonly verdict: 'absent' | Exclude<ReturnType<typeof slotVerdict>, 'again' | 'known'>
  readonly record: Generation | undefined
  readonly generation: number
}

export function lookUp(state: State, call: number, setting: Setting): LookedUp {
  const slot = slotOfCall(call, setting)
  const record = newest(state, slot, call)
  const judged = judgeSlot(record === undefined ? undefined : viewOf(record, setting), refOf(call, setting), now)
  return { verdict: judged.kind, record, generation: record === undefined ? 0 : numberOf(state, slot, record) }
}

export interface Asked {
  readonly call: number
  readonly process: number
  readonly nonce: number
  readonly generation: number
  readonly unseen: boolean
}

export type Admitted =
  | { readonly kind: 'admitted'; readonly generation: number; readonly attempt: number; readonly again: boolean }
  | { readonly kind: 'stale'; readonly generation: number }
  | { readonly kind: 'known' }
  | { readonly kind: 'approval' | 'grant' }
  | { readonly kind: 'slot'; readonly generation: number; readonly record: Generation }

export function admit(state: State, { call, process, nonce, generation, unseen }: Asked, setting: Setting): Admitted {
  const slot = slotOfCall(call, setting)
  const known = state.calls[call]
  const record = newest(state, slot, call)
  const generations = state.slots[slot] ?? []
  if (record === undefined) {
    if (unseen && known?.known === true) return { kind: 'known' }
    if (generation !== 1) return { kind: 'stale', generation: 1 }
    return open(state, { call, process, nonce, generation, unseen }, setting)
  }
  const verdict = slotVerdict(viewOf(record, setting), refOf(call, setting), now, { nonce: String(nonce), unseen })
  const number = generations.indexOf(record) + 1
  switch (verdict) {
    case 'again':
      return { kind: 'admitted', generation: number, attempt: record.attempt, again: true }
    case 'known':
      return { kind: 'known' }
    case 'generation':
      if (generation !== number + 1) return { kind: 'stale', generation: number + 1 }
      return open(state, { call, process, nonce, generation, unseen }, setting)
    case 'retry':
      return open(state, { call, process, nonce, generation: number, unseen }, setting, record)
    default:
      return { kind: 'slot', generation: number, record }
  }
}

function open(
  state: State,
  { call, process, nonce, generation }: Asked,
  setting: Setting,
  retried?: Generation,
): Admitted {
  const attempt = (retried?.attempt ?? 0) + 1
  const { approval } = state
  if (approval !== undefined && setting.consent === 'grant') {
    const expiresAt = approval.expires as EpochMs
    const revoked = approval.revoked ? { by: '', at: now } : undefined
    // Whether it was granted is not asked here: one that was not is not there.
    const isGranted = approval.verdict === 'approved' && isInForce({ revoked, expiresAt } as StandingGrant, now)
    if (!isGranted) return { kind: 'grant' }
  }
  if (approval !== undefined && setting.consent === 'approval') {
    const usable = isUsable({
      verdict: approval.verdict !== 'rejected' && approval.superseded ? 'superseded' : approval.verdict,
      over: approval.expires <= 0,
      used_by: approval.usedBy === noProcess ? 'none' : approval.usedNonce === nonce ? 'this_admission' : 'another',
      same_payload: (setting.calls[call]?.arguments ?? 0) === 0,
      same_operation: generation === 1,
    })
    if (!usable) return { kind: 'approval' }
    approval.usedBy = call
    approval.usedNonce = nonce
  }
  const record: Generation = {
    status: 'PENDING',
    effect: 'unknown',
    held: false,
    attempt,
    starts: retried?.starts ?? 0,
    nonce,
    overtaken: false,
    seen: (retried?.seen ?? 0) | (1 << call),
    arguments: setting.calls[call]?.arguments ?? 0,
    call,
    owner: setting.poolers === true ? unseenOwner : process,
    lease: leaseMs,
    look: leaseMs,
    watcher: noProcess,
    created: retried?.created ?? 0,
    expires: never,
    answer: '',
  }
  const generations = state.slots[slotOfCall(call, setting)] ?? []
  generations[generation - 1] = record
  const known = state.calls[call]
  if (known !== undefined) known.known = true
  return { kind: 'admitted', generation, attempt, again: false }
}

/** How an approval is listed. */
export function listed(approval: Approval, { consent }: Setting): ApprovalStatus {
  return decide(approvalStatusRule, {
    verdict: approval.verdict !== 'rejected' && approval.superseded ? 'superseded' : approval.verdict,
    used: approval.usedBy !== noProcess,
    lasting: consent === 'grant' && approval.verdict === 'approved',
    over: approval.expires <= 0,
  })
}
