// Plays histories of the exploration on a real Postgres, each step of the ledger by its port, and compares every answer and every record.
import type { SlotRecord } from '../../src/contract/slot.ts'
import { sendAgainMs } from '../../src/execute/recovery.ts'
import { toIso } from '../../src/json/clock.ts'
import { hashJson } from '../../src/json/hash.ts'
import type { Claim, PassEntry } from '../../src/ledger/ports/operations.ts'
import { expireSlots } from '../../src/ledger/postgres/upkeep/maintenance.ts'
import { consequences, type Fit } from '../../src/ledger/rules/settle.ts'
import { judgeSlot } from '../../src/ledger/rules/slot.ts'
import {
  admission,
  answerOf,
  approval,
  callRecord,
  entryOf,
  escalation,
  fact,
  issue,
  keyFields,
  people,
  question,
  sagaStart,
  says,
  settlement,
  slot as slotRef,
} from '../../test/ledger/requests.ts'
import { compareWith } from './compare.ts'
import type { Deed, Step } from './deed.ts'
import { namesOf } from './names.ts'
import type { RealProcess, RealProcesses } from './real-processes.ts'
import { type Setting, tickMs, timeoutMs, ttlMs, windowOf } from './setting.ts'
import type { State } from './state.ts'

export interface Replayed {
  /** Steps that were played and compared. */
  readonly compared: number
  /** What the ledger said otherwise, with the steps up to there. */
  readonly difference: string | undefined
  /** From some step on it could not be played: a session came back sooner than in the history. */
  readonly cutShort: boolean
}

let played = 0

export async function replay(
  setting: Setting,
  history: readonly Step[],
  real: RealProcesses,
  pool: RealProcess[],
): Promise<Replayed> {
  const one = createPlay(setting, real, pool, ++played)
  await one.begin()
  let compared = 0
  for (const [at, { deed, next }] of history.entries()) {
    const said = await one.play(deed, next)
    if (said === 'cannot be played') return end(undefined, true)
    const differs = said ?? (await one.compare(next))
    if (differs !== undefined)
      return end(
        `${differs}\n${history
          .slice(0, at + 1)
          .map(({ deed: each }) => lineOf(each))
          .join('\n')}`,
        false,
      )
    compared++
  }
  return end(undefined, false)

  async function end(difference: string | undefined, cutShort: boolean): Promise<Replayed> {
    await one.end()
    return { compared, difference, cutShort }
  }
}

export const lineOf = ({ does, came, ...rest }: Deed): string => {
  const where = Object.entries(rest).map(([name, value]) => `${name} ${value}`)
  return `${does} (${where.join(', ')}): ${came}`
}

function createPlay(setting: Setting, real: RealProcesses, pool: RealProcess[], number: number) {
  const names = namesOf(setting, number)
  const { tenant, contract, id, nonceOf, callOf, slotOf, keyOf, hashOf, approvalId } = names
  let processes: RealProcess[] = []
  const frozen = new Set<number>()
  const sessionless = new Set<number>()
  const claimed = new Map<number, Claim>()
  const stale = new Map<number, number>()
  /** An end that is sent again has the name that it had. */
  const sent = new Map<number, PassEntry>()
  const sagaSeq = 1
  let entries = 0

  const ref = (call: number) =>
    slotRef({
      tenant,
      key: slotOf(call),
      kind: setting.kind,
      requestHash: hashOf(call),
      providerCallId: `p${call}`,
      resource: setting.resource === true ? 'resource' : undefined,
    })
  const callFields = (call: number, passes: number) => ({
    id: callOf(call),
    key: { ...callRecord().key, tenant, providerCallId: `p${call}` },
    contractHash: contract,
    passes,
  })
  const factOf = (call: number, pass: number) => fact({ callId: callOf(call), pass, seq: ++entries })
  const who = (deed: Deed): RealProcess => processes[deed.process ?? 0] as RealProcess

  function endEntry(deed: Deed): PassEntry {
    const { call = 0, generation = 1, attempt = 1, nonce = 0, pass = 1, tries = 0, says: end = '', asks } = deed
    const [status, effect, held] = end.split(' ') as [SlotRecord['status'], SlotRecord['effect'], string | undefined]
    const settle = settlement({
      status: status as 'PENDING',
      effect,
      held: held !== undefined,
      callId: callOf(call),
      tenant,
      nonce: nonceOf(nonce),
      slotKey: keyOf(deed.slot),
      generation,
      attempt,
      tries,
      answer: status === 'PENDING' ? undefined : answerOf(`of attempt ${attempt}`),
      ttlMs: setting.expires === true ? ttlMs : undefined,
      named: setting.resource === true,
    })
    return entryOf(
      { ...callFields(call, pass), effect, status: effect === 'happened' ? 'SUCCESS' : 'UNKNOWN_ERROR' },
      {
        id: id(8, ++entries),
        settle,
        facts: [factOf(call, pass)],
        ...(asks === true
          ? { escalations: [escalation(0, { id: id(9, ++entries), tenant, callId: callOf(call) })] }
          : {}),
      },
    )
  }

  const settledAs = (said: string, came: string, own: 'transaction' | 'entry' = 'entry'): string | undefined => {
    const fit = came.split(',')[0] as Fit
    if (!(fit in consequences)) return undefined
    const { answer, commits } = consequences[fit]
    const wanted = own === 'entry' || commits ? answer : 'late'
    return said === wanted ? undefined : `the end was ${said}, and not ${wanted}`
  }

  /** The process is killed, and another one begins in its place. */
  async function begin(at: number): Promise<void> {
    const process = processes[at] as RealProcess
    await real.kill(process)
    const fresh = await real.open(setting)
    pool[pool.indexOf(process)] = fresh
    processes[at] = fresh
  }

  /** The end of an attempt could not be written: its process does nothing for it any more. */
  async function giveUp(deed: Deed): Promise<string | undefined> {
    const unwritable = { ...endEntry({ ...deed, says: 'PENDING unknown' }), id: 'no id of an entry' }
    try {
      await who(deed).ledger.operations.record(unwritable)
    } catch {
      return undefined
    }
    return 'an entry without an id was written'
  }

  const play: Readonly<Record<string, (deed: Deed, next: State) => Promise<string | undefined> | string | undefined>> =
    {
      async 'look up'(deed) {
        const { call = 0, came, pass = 1, generation = 0 } = deed
        const { record, at } = await who(deed).ledger.operations.slot(tenant, slotOf(call), `p${call}`)
        const judged = judgeSlot(record, ref(call), at)
        if (judged.kind !== came) return `the record says ${judged.kind}`
        if ((record?.generation ?? 0) !== generation) return `it is generation ${record?.generation}`
        if (['replay', 'expired', 'busy', 'held'].includes(came)) await tell(deed, pass, came, record as SlotRecord)
        return undefined
      },
      async admit(deed, next) {
        const { call = 0, nonce = 0, unseen = false, came, process = 0 } = deed
        if (came === 'stale') {
          stale.set(process, deed.generation ?? 1)
          return undefined
        }
        const generation = stale.get(process) ?? deed.generation ?? 1
        stale.delete(process)
        const outcome = await who(deed).ledger.operations.admit(
          admission({
            callId: callOf(call),
            tenant,
            nonce: nonceOf(nonce),
            slot: ref(call),
            generation,
            unseen,
            keyFields: { ...keyFields, tenant, payloadHash: hashOf(call) },
            entry: entryOf(
              { ...callFields(call, next.calls[call]?.passes ?? 1), status: 'RUNNING', effect: 'unknown' },
              { facts: [factOf(call, next.calls[call]?.passes ?? 1)] },
            ),
            claims: [],
            approval: setting.consent === 'approval' ? { id: approvalId, payloadHash: hashOf(call) } : undefined,
            grant: setting.consent === 'grant' ? { id: approvalId } : undefined,
          }),
        )
        const wanted = came.startsWith('slot')
          ? 'slot'
          : ['known', 'approval', 'grant'].includes(came)
            ? came
            : 'admitted'
        if (outcome.kind !== wanted) return `it was ${outcome.kind}, and not ${wanted}`
        if (outcome.kind === 'admitted') {
          if (outcome.attempt !== deed.attempt) return `it is attempt ${outcome.attempt}, and not ${deed.attempt}`
          await real.admitted(tenant, nonceOf(nonce), setting)
          if (came.endsWith('given up')) await giveUp(deed)
        }
        if (outcome.kind === 'slot') {
          const verdict = came.slice('slot '.length)
          const judged = judgeSlot(outcome.record, ref(call), real.now())
          if (judged.kind !== verdict) return `the record says ${judged.kind}`
          if (verdict !== 'mismatch') await tell(deed, deed.pass ?? 1, verdict, outcome.record)
        }
        return undefined
      },
      async 'turn away'(deed) {
        const { call = 0, pass = 1 } = deed
        const told = { ...callFields(call, pass), effect: 'none' as const }
        const flags = pass > 1 ? { yields: true } : {}
        await who(deed).ledger.operations.record(entryOf(told, { ...flags, facts: [factOf(call, pass)] }))
        return undefined
      },
      async settle(deed) {
        const { nonce = 0 } = deed
        const entry = deed.again === true ? (sent.get(nonce) as PassEntry) : endEntry(deed)
        sent.set(nonce, entry)
        const settled = await who(deed).ledger.operations.record(entry)
        const differs = settledAs(settled, deed.came)
        if (differs === undefined && setting.amends === true && deed.again !== true && deed.cut !== true) {
          const { call = 0, generation = 1, pass = 1 } = deed
          const amend = { slotKey: keyOf(deed.slot), generation, answer: answerOf('amended') }
          await who(deed).ledger.operations.record(
            entryOf({ ...callFields(call, pass), effect: entry.call.effect }, { amend, facts: [factOf(call, pass)] }),
          )
        }
        return differs
      },
      'give up': giveUp,
      'end late': async (deed) => settledAs(await who(deed).ledger.operations.record(endEntry(deed)), deed.came),
      conclude: async (deed) => settledAs(await who(deed).ledger.operations.record(endEntry(deed)), deed.came),
      async commit(deed) {
        const transaction = await who(deed).ledger.operations.begin?.(tenant)
        if (deed.came.startsWith('not written')) return transaction?.rollback() as Promise<undefined>
        const settled = await transaction?.commit(endEntry({ ...deed, says: 'COMPLETED happened', tries: 1 }))
        return settledAs(String(settled), deed.came, 'transaction')
      },
      async claim(deed) {
        const { nonce = 0, attempt, came, value, process = 0 } = deed
        const query = { contracts: [contract], limit: 4, forMs: 60_000 }
        const claims = await real.alone(tenant, nonceOf(nonce), () => who(deed).ledger.operations.claim(query))
        if (came === 'its own') return claims.length === 0 ? undefined : 'it was given what is its own'
        const [found] = claims
        if (found === undefined || claims.length > 1) return `${claims.length} operations were given`
        claimed.set(process, found)
        if (found.slot.nonce !== nonceOf(nonce) || found.slot.attempt !== attempt) return 'another attempt was given'
        const lastStart = found.lastStart - found.at
        const isExact = setting.tool === 'verifier' && (value ?? 0) > -2 * tickMs
        return isExact && lastStart !== value ? `its last start is ${lastStart} from now, and not ${value}` : undefined
      },
      async fence(deed) {
        const { process = 0, came, slot = 0, generation = 1 } = deed
        const owner = next_(slot, generation)
        if (owner !== undefined && sessionless.has(owner)) return 'cannot be played'
        const said = await who(deed).ledger.operations.fence((claimed.get(process) as Claim).slot)
        if (said === 'fenced' && owner !== undefined) sessionless.add(owner)
        return said === came ? undefined : `its owner is ${said}`
      },
      async restart(deed) {
        const { process = 0, next = 0, came } = deed
        const restarted = await who(deed).ledger.operations.restart((claimed.get(process) as Claim).slot, {
          nonce: nonceOf(next),
          timeoutMs,
          withinMs: sendAgainMs(windowOf(setting), timeoutMs),
        })
        if (restarted) await real.admitted(tenant, nonceOf(next), setting)
        return restarted === (came !== 'too late') ? undefined : `restarted: ${restarted}`
      },
      async postpone(deed) {
        const { process = 0, value = 0 } = deed
        await who(deed).ledger.operations.postpone((claimed.get(process) as Claim).slot, value)
        return undefined
      },
      // What was not there, and may be said; anything else is written with the reading.
      'read back': () => undefined,
      async regain(deed) {
        const { process = 0 } = deed
        await real.regain(who(deed))
        sessionless.delete(process)
        return undefined
      },
      async loss(deed) {
        await real.endSession(who(deed))
        sessionless.add(deed.process ?? 0)
        return undefined
      },
      async renew(deed) {
        const { slot, generation = 1, nonce = 0, came } = deed
        const rows = await real.database.run('renew-leases', [
          [tenant],
          [keyOf(slot)],
          [generation],
          [nonceOf(nonce)],
          tickMs,
        ])
        return rows.length > 0 === (came === 'renewed') ? undefined : `renewed: ${rows.length > 0}`
      },
      async crash(deed) {
        const { process = 0 } = deed
        await begin(process)
        sessionless.delete(process)
        return undefined
      },
      freeze: (deed) => void frozen.add(deed.process ?? 0),
      wake: (deed) => void frozen.delete(deed.process ?? 0),
      async tick() {
        await real.pass(awake())
        return undefined
      },
      async step() {
        await real.pass([])
        return undefined
      },
      word: (deed) => resolve(deed),
      mistake: (deed) => resolve(deed),
      async undoing(deed) {
        const said = await append({ undone: keyOf(deed.slot) })
        return said === 'written' ? undefined : `it was ${said}`
      },
      async closing(deed) {
        const said = await append({
          close: {
            slotKey: keyOf(deed.slot),
            operation: 'op-1',
            requestHash: 'aa00',
            callId: callOf(0),
            run: 'run-1',
            answer: answerOf('closed'),
          },
        })
        const wanted = deed.came === 'open' ? 'open' : 'written'
        return said === wanted ? undefined : `it was ${said}`
      },
      async expire() {
        await expireSlots(real.database)
        return undefined
      },
      approve: () => decide('approved'),
      reject: () => decide('rejected'),
      async replace() {
        await any().approvals.open(packet({ id: `${tenant}-b`, packetHash: 'shown anew', callId: callOf(1) }), 10)
        return undefined
      },
      async revoke() {
        await any().approvals.revokeGrant(approvalId, { by: 'boss', reason: 'no more' })
        return undefined
      },
    }

  const any = () => (processes[0] as RealProcess).ledger
  const awake = () => processes.filter((_, index) => !frozen.has(index))
  /** Whose attempt it is, as the history has it. */
  let before: State | undefined
  const next_ = (slot: number, generation: number): number | undefined => {
    const owner = before?.slots[slot]?.[generation - 1]?.owner
    return owner === undefined || owner < 0 ? undefined : owner
  }

  async function tell(deed: Deed, pass: number, verdict: string, record: SlotRecord): Promise<void> {
    const { call = 0 } = deed
    const looksOn = pass > 1 && (verdict === 'busy' || verdict === 'held')
    const seen = { slotKey: slotOf(call), generation: record.generation, providerCallId: `p${call}` }
    const told = { ...callFields(call, pass), effect: record.effect }
    const flags = { ...(looksOn ? { looksOn } : {}), ...(pass > 1 ? { yields: true } : {}) }
    await who(deed).ledger.operations.record(entryOf(told, { seen, ...flags, facts: [factOf(call, pass)] }))
  }

  async function resolve({ call = 0, person, says: effect, came }: Deed): Promise<string | undefined> {
    const said = await any().operations.resolve({
      tenant,
      callId: callOf(call),
      effect: effect as 'happened' | 'none',
      by: `person-${person}`,
      why: 'asked',
      quorum: setting.quorum ?? 1,
    })
    return said.kind === came ? undefined : `it is ${said.kind}`
  }

  async function append(change: object): Promise<string> {
    const saga = { tenant, id: `saga-${number}` }
    if (sagaSeq === 1) await any().sagas.create(sagaStart(saga), 3_600_000)
    const said = await any().sagas.append({
      ...saga,
      epoch: 1,
      seq: sagaSeq,
      state: 'RUNNING',
      direction: 'forward',
      entries: [],
      dueMs: 3_600_000,
      ...change,
    })
    return said
  }

  const content = () =>
    setting.consent === 'grant'
      ? {
          tool: 'tool',
          principal: { user: 'carol' },
          limits: { expires_at: toIso((real.now() + 2 * tickMs) as never) },
        }
      : undefined

  const packet = (change: object) => {
    const held = content()
    return approval({
      id: approvalId,
      kind: setting.consent === 'grant' ? 'grant' : 'call',
      callId: callOf(0),
      subject: { tenant, slotKey: 'slot-0', generation: 1, payloadHash: 'aa00' },
      ground: {
        payloadHash: held === undefined ? 'aa00' : hashJson(held),
        contractHash: 'c',
        executorVersion: null,
        stateVersion: null,
      },
      question: { ...question, tenant, requester: { user: 'carol', agent: undefined } },
      requirement: people(1),
      barred: [],
      content: held,
      ttlMs: 2 * tickMs,
      ...change,
    })
  }

  async function decide(verdict: 'approved' | 'rejected'): Promise<undefined> {
    await any().approvals.decide(approvalId, says('ann', verdict), issue, tenant)
  }

  return {
    async begin() {
      while (pool.length < setting.processes) pool.push(await real.open(setting))
      // Whatever the history before has left is long over, and processes have run for some time.
      await real.pass(pool, 8)
      processes = pool.slice(0, setting.processes)
      if (setting.young === true) for (const at of processes.keys()) await begin(at)
      if (setting.consent !== undefined) await any().approvals.open(packet({}), 10)
    },
    async play(deed: Deed, next: State): Promise<string | undefined> {
      const said = await play[deed.does]?.(deed, next)
      before = next
      return said ?? undefined
    },
    compare: (next: State): Promise<string | undefined> => compareWith(next, { setting, names, real, ledger: any() }),
    async end() {
      for (const index of sessionless) await real.regain(processes[index] as RealProcess)
      // Nothing of it is left that others could be given.
      await real.admin.query('delete from proviso.idempotency_keys where tenant_id = $1', [tenant])
    },
  }
}
