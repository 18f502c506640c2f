// The steps of a pass, played: it is looked up, admitted or turned away, answered from the record, and its attempt comes to an end.
import type { SlotRecord } from '../../../src/contract/call/slot.ts'
import type { PassEntry } from '../../../src/ledger/ports/operations.ts'
import { judgeSlot } from '../../../src/ledger/rules/slot.ts'
import { admission, answerOf, entryOf, keyFields } from '../../../test/ledger/requests.ts'
import type { DeedOf } from '../deed.ts'
import { type Plays, type Said, type Stage, settledAs } from './stage.ts'

const refusals: readonly string[] = ['known', 'approval', 'grant']

export function playCalls(
  stage: Stage,
): Plays<'look up' | 'admit' | 'turn away' | 'settle' | 'give up' | 'end late' | 'commit'> {
  const { setting, names, real, stale, sent, ledgerOf, refOf, callFields, factOf, endEntry } = stage
  const { tenant, approvalId, nonceOf, callOf, slotOf, keyOf, hashOf } = names

  async function tell(deed: DeedOf<'look up' | 'admit'>, verdict: string, record: SlotRecord): Promise<void> {
    const { call, pass } = deed
    const looksOn = pass > 1 && (verdict === 'busy' || verdict === 'held')
    const seen = { slotKey: slotOf(call), generation: record.generation, providerCallId: `p${call}` }
    const told = { ...callFields(call, pass), effect: record.effect }
    const flags = { ...(looksOn ? { looksOn } : {}), ...(pass > 1 ? { yields: true } : {}) }
    await ledgerOf(deed).operations.record(entryOf(told, { seen, ...flags, facts: [factOf(call, pass)] }))
  }

  /** What comes after the end makes something else of the answer. */
  async function amend(deed: DeedOf<'settle' | 'commit'>, effect: PassEntry['call']['effect']): Promise<void> {
    if (setting.amends !== true) return
    const { call, slot, generation, pass } = deed
    const change = { slotKey: keyOf(slot), generation, answer: answerOf('amended') }
    const told = { ...callFields(call, pass), effect }
    await ledgerOf(deed).operations.record(entryOf(told, { amend: change, facts: [factOf(call, pass)] }))
  }

  /** The end of an attempt could not be written: its process does nothing for it any more. */
  async function giveUp(deed: DeedOf<'give up'> | DeedOf<'admit'>): Promise<Said> {
    const { process, call, generation, nonce, pass } = deed
    const slot = setting.calls[call]?.slot ?? 0
    const ending = { call, slot, generation, attempt: deed.attempt ?? 1, nonce, pass, tries: 0, asks: false }
    const unwritable = { ...endEntry({ ...ending, says: 'PENDING unknown' }), id: 'no id of an entry' }
    try {
      await ledgerOf({ process }).operations.record(unwritable)
    } catch {
      return undefined
    }
    return 'an entry without an id was written'
  }

  return {
    async 'look up'(deed) {
      const { call, came, generation } = deed
      const { record, at } = await ledgerOf(deed).operations.slot(tenant, slotOf(call), `p${call}`)
      const judged = judgeSlot(record, refOf(call), at)
      if (judged.kind !== came) return `the record says ${judged.kind}`
      if ((record?.generation ?? 0) !== generation) return `it is generation ${record?.generation}`
      if (['replay', 'expired', 'busy', 'held'].includes(came)) await tell(deed, came, record as SlotRecord)
      return undefined
    },
    async admit(deed) {
      const { call, pass, process, nonce, unseen, came } = deed
      if (came === 'stale') {
        stale.set(process, deed.generation)
        return undefined
      }
      const generation = stale.get(process) ?? deed.generation
      stale.delete(process)
      const outcome = await ledgerOf(deed).operations.admit(
        admission({
          callId: callOf(call),
          tenant,
          nonce: nonceOf(nonce),
          slot: refOf(call),
          generation,
          unseen,
          keyFields: { ...keyFields, tenant, payloadHash: hashOf(call) },
          entry: entryOf(
            { ...callFields(call, pass), status: 'RUNNING', effect: 'unknown' },
            { facts: [factOf(call, pass)] },
          ),
          claims: [],
          approval: setting.consent === 'approval' ? { id: approvalId, payloadHash: hashOf(call) } : undefined,
          grant: setting.consent === 'grant' ? { id: approvalId } : undefined,
        }),
      )
      const wanted = came.startsWith('slot') ? 'slot' : refusals.includes(came) ? came : 'admitted'
      if (outcome.kind !== wanted) return `it was ${outcome.kind}, and not ${wanted}`
      if (outcome.kind === 'admitted') {
        if (outcome.attempt !== deed.attempt) return `it is attempt ${outcome.attempt}, and not ${deed.attempt}`
        await real.admitted(tenant, nonceOf(nonce), setting)
        if (came.endsWith('given up')) return giveUp(deed)
      }
      if (outcome.kind === 'slot') {
        const verdict = came.slice('slot '.length)
        if (outcome.verdict !== verdict) return `the record says ${outcome.verdict}`
        if (verdict !== 'mismatch') await tell(deed, verdict, outcome.record)
      }
      return undefined
    },
    async 'turn away'(deed) {
      const { call, pass } = deed
      const told = { ...callFields(call, pass), effect: 'none' as const }
      const flags = pass > 1 ? { yields: true } : {}
      await ledgerOf(deed).operations.record(entryOf(told, { ...flags, facts: [factOf(call, pass)] }))
      return undefined
    },
    async settle(deed) {
      const { nonce, came, again, cut } = deed
      const entry = (again ? sent.get(nonce) : undefined) ?? endEntry(deed)
      sent.set(nonce, entry)
      const settled = await ledgerOf(deed).operations.record(entry)
      const differs = settledAs(settled, came)
      if (!again && cut !== true) await amend(deed, entry.call.effect)
      return differs
    },
    'give up': giveUp,
    async 'end late'(deed) {
      return settledAs(await ledgerOf(deed).operations.record(endEntry({ ...deed, asks: false })), deed.came)
    },
    async commit(deed) {
      const { slotKey, generation, nonce } = endEntry({ ...deed, says: 'COMPLETED happened', asks: false }).settle ?? {}
      const attempt = { slotKey: slotKey ?? '', generation: generation ?? 1, nonce: nonce ?? '' }
      const { begin } = ledgerOf(deed).operations
      if (begin === undefined) return 'there are no transactions'
      // One that would begin only now, when its attempt is over, cannot: for the model it began before, and comes late.
      const transaction = await begin(tenant, attempt).catch((error: unknown) => {
        if (error instanceof Error && error.message === 'There is no such attempt.') return undefined
        throw error
      })
      if (transaction === undefined)
        return deed.came.startsWith('not written') ? undefined : settledAs('late', deed.came, 'transaction')
      if (deed.came.startsWith('not written')) {
        await transaction.rollback()
        return undefined
      }
      const settled = await transaction.commit(endEntry({ ...deed, says: 'COMPLETED happened', asks: false }))
      if (settled === 'settled' && deed.cut !== true) await amend(deed, 'happened')
      return settledAs(settled, deed.came, 'transaction')
    },
  }
}
