// The steps of a process that finds out what became of a lost attempt, played.
import { sendAgainMs } from '../../../src/execute/attempt/recovery.ts'
import type { Claim } from '../../../src/ledger/ports/operations.ts'
import { isReadable, tickMs, timeoutMs, windowOf } from '../setting.ts'
import { type Plays, type Stage, settledAs, unplayable } from './stage.ts'

export function playRecovery(
  stage: Stage,
): Plays<'claim' | 'fence' | 'read back' | 'restart' | 'postpone' | 'conclude'> {
  const { setting, names, real, claimed, sessionless, ledgerOf, endEntry } = stage
  const { tenant, contract, nonceOf } = names
  const slotOf = (process: number) => (claimed.get(process) as Claim).slot

  /** Whose attempt it is, as the history has it. */
  const ownerOf = (slot: number, generation: number): number | undefined => {
    const owner = stage.before?.slots[slot]?.[generation - 1]?.owner
    return owner === undefined || owner < 0 ? undefined : owner
  }

  return {
    async claim(deed) {
      const { nonce, attempt, came, value, process } = deed
      const query = { contracts: [contract], limit: 4, forMs: 60_000 }
      const claims = await real.alone(tenant, nonceOf(nonce), () => ledgerOf(deed).operations.claim(query))
      if (came === 'its own') return claims.length === 0 ? undefined : 'it was given what is its own'
      const [found] = claims
      if (found === undefined || claims.length > 1) return `${claims.length} operations were given`
      claimed.set(process, found)
      if (found.slot.nonce !== nonceOf(nonce) || found.slot.attempt !== attempt) return 'another attempt was given'
      const lastStart = found.lastStart - found.at
      const isExact = isReadable(setting) && value > -2 * tickMs
      return isExact && lastStart !== value ? `its last start is ${lastStart} from now, and not ${value}` : undefined
    },
    async fence(deed) {
      const { process, came, slot, generation } = deed
      const owner = ownerOf(slot, generation)
      if (owner !== undefined && sessionless.has(owner)) return unplayable
      const said = await ledgerOf(deed).operations.fence(slotOf(process))
      if (said === 'fenced' && owner !== undefined) sessionless.add(owner)
      return said === came ? undefined : `its owner is ${said}`
    },
    // What was not there, and may be said; anything else is written with the reading.
    'read back': () => undefined,
    async restart(deed) {
      const { process, next, came } = deed
      const nonce = nonceOf(next ?? deed.nonce)
      const withinMs = sendAgainMs(windowOf(setting), timeoutMs)
      const restarted = await ledgerOf(deed).operations.restart(slotOf(process), { nonce, timeoutMs, withinMs })
      if (restarted) await real.admitted(tenant, nonce, setting)
      return restarted === (came !== 'too late') ? undefined : `restarted: ${restarted}`
    },
    async postpone(deed) {
      await ledgerOf(deed).operations.postpone(slotOf(deed.process), deed.value)
      return undefined
    },
    conclude: async (deed) => settledAs(await ledgerOf(deed).operations.record(endEntry(deed)), deed.came),
  }
}
