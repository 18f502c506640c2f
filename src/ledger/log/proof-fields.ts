// Typed access to the fields of one object of a proof. A field that does not fit is noted with its place and stands in
// as an empty value: a reader must look at the notes before relying on anything.
import { type EpochMs, epochMs } from '../../json/clock.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { type Hash, hashBytes, noHash } from './tree-hash.ts'

export interface ProofMisfit {
  /** Pointer into the proof. */
  readonly where: string
  readonly reason: string
}

export interface Fields {
  has(name: string): boolean
  only(name: string, value: string): void
  text(name: string, most?: number): string
  count(name: string): number
  hash(name: string): Hash
  instant(name: string): EpochMs
  list(name: string, most: number): readonly JsonValue[]
  path(name: string): readonly Hash[]
}

const longestName = 4_096
const longestPath = 53
const hexSyntax = /^[0-9a-f]{64}$/

export function fieldsOf(value: JsonValue, where: string, names: readonly string[], misfits: ProofMisfit[]): Fields {
  const note = (name: string, reason: string): undefined => {
    misfits.push({ where: `${where}/${name}`, reason })
  }
  const object = isObject(value) ? value : {}
  if (!isObject(value)) misfits.push({ where, reason: 'This must be an object.' })
  // A field that we do not know could be one that a reader believes to be proven.
  if (Object.keys(object).some((name) => !names.includes(name)))
    misfits.push({ where, reason: `It has a field besides ${names.join(', ')}.` })

  const list = (name: string, most: number): readonly JsonValue[] => {
    const items = object[name]
    if (!Array.isArray(items)) return note(name, 'This must be a list.') ?? []
    return items.length <= most ? items : (note(name, `At most ${most} are read.`) ?? [])
  }
  return {
    has: (name) => Object.hasOwn(object, name),
    only(name, expected) {
      if (object[name] !== expected) note(name, `Only ${expected} is understood.`)
    },
    text(name, most = longestName) {
      const text = object[name]
      if (typeof text !== 'string') return note(name, 'This must be text.') ?? ''
      return text.length <= most ? text : (note(name, `At most ${most} characters are read.`) ?? '')
    },
    count(name) {
      const count = object[name]
      if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
      return note(name, 'This must be a whole number, not below 0.') ?? 0
    },
    hash(name) {
      const hex = object[name]
      if (typeof hex === 'string' && hexSyntax.test(hex)) return Buffer.from(hex, 'hex')
      return note(name, 'This must be 64 lower-case hex digits.') ?? noHash
    },
    instant(name) {
      const iso = object[name]
      const at = typeof iso === 'string' && iso.length <= 32 ? Date.parse(iso) : Number.NaN
      if (!Number.isNaN(at) && new Date(at).toISOString() === iso) return epochMs(at)
      return note(name, 'This must be an instant, such as 2026-01-01T00:00:00.000Z.') ?? epochMs(0)
    },
    list,
    path(name) {
      return list(name, longestPath).map((step, at) => {
        const hash = typeof step === 'string' && step.length === 44 ? Buffer.from(step, 'base64') : undefined
        if (hash?.length === hashBytes && hash.toString('base64') === step) return hash
        return note(`${name}/${at}`, 'This must be 32 bytes in base64.') ?? noHash
      })
    },
  }
}
