// Identifiers of ours: UUIDv7 (RFC 9562), so that they sort by time, and strictly in order of creation within one
// process. Randomness is injected and drawn in blocks: one id costs under half a microsecond.
import { randomFillSync } from 'node:crypto'
import type { EpochMs } from './clock.ts'

export interface Entropy {
  /** Bytes that no other caller was given and that do not change afterwards. */
  bytes(count: number): Uint8Array
}

/** Before every other. */
export const nilUuid = '00000000-0000-0000-0000-000000000000'

interface Sequence {
  milliseconds: number
  counter: number
}

const blockSize = 8_192
const counterLimit = 0x1000
/** Ids follow a clock that is set back further than this; otherwise all later ids would carry a time of the future. */
const toleratedRollbackMs = 60_000

const sequences = new WeakMap<Entropy, Sequence>()
/** Making an id is synchronous: one place to put its octets and its letters together serves all. */
const octets = Buffer.alloc(16)
const letters = Buffer.from(nilUuid)
const digits = Buffer.from('0123456789abcdef')
// Lower case only, as it is written here: one identifier has one spelling, in maps as in a database.
const uuidSyntax = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

let block = new Uint8Array(0)
let used = 0

export const systemEntropy: Entropy = {
  bytes(count) {
    if (count > blockSize) return randomFillSync(new Uint8Array(count))
    if (used + count > block.length) {
      block = randomFillSync(new Uint8Array(blockSize))
      used = 0
    }
    const drawn = block.slice(used, used + count)
    // What was handed out does not stay behind in memory.
    block.fill(0, used, used + count)
    used += count
    return drawn
  },
}

/** A new id, greater than every earlier one from the same entropy, also when the clock stands still. */
export function uuidv7(now: EpochMs, entropy: Entropy): string {
  const random = entropy.bytes(10)
  const { milliseconds, counter } = next(now, entropy, random)
  octets.writeUIntBE(milliseconds, 0, 6)
  octets.writeUInt16BE(0x7000 | counter, 6)
  for (let at = 9; at < octets.length; at++) octets[at] = random[at - 6] as number
  octets[8] = ((random[2] as number) & 0x3f) | 0x80
  // One flat text of bytes that are digits already; put together from pieces, it would be flattened wherever it is used.
  for (let at = 0, place = 0; at < octets.length; at++) {
    if (at === 4 || at === 6 || at === 8 || at === 10) place++
    const octet = octets[at] as number
    letters[place++] = digits[octet >>> 4] as number
    letters[place++] = digits[octet & 15] as number
  }
  return letters.toString('latin1')
}

export function isUuid(text: string): boolean {
  return uuidSyntax.test(text)
}

/** Advances the sequence: the twelve bits below the millisecond count, from a random start in their lower half. */
function next(now: EpochMs, entropy: Entropy, random: Uint8Array): Sequence {
  const start = (((random[0] as number) & 0x07) << 8) | (random[1] as number)
  const last = sequences.get(entropy)
  if (last === undefined) {
    const first = { milliseconds: now as number, counter: start }
    sequences.set(entropy, first)
    return first
  }
  if (now > last.milliseconds || last.milliseconds - now > toleratedRollbackMs) {
    last.milliseconds = now
    last.counter = start
  } else if (++last.counter === counterLimit) {
    last.milliseconds++
    last.counter = start
  }
  return last
}
