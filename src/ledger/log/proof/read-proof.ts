// Reads a proof that a stranger sent: every field has its type, its form and its bound before anything is computed, and
// the first that does not is named. Text or parsed value, nothing in it can throw or make the reader work without end.

import { type EpochMs, epochMs } from '../../../json/clock.ts'
import { copyParsed } from '../../../json/copy.ts'
import { readJson } from '../../../json/read.ts'
import { isObject, type JsonValue } from '../../../json/value.ts'
import type { Content, RetirementLeaf } from '../tree/leaf.ts'
import { type Hash, hashBytes, noHash } from '../tree/tree-hash.ts'
import { proofFormat } from './proof.ts'

export interface ReadGroup {
  readonly group: number
  readonly pass: number
  readonly previous: Hash
  readonly content: (Content & { readonly facts: string }) | { readonly commitment: Hash }
  readonly index: number
  readonly path: readonly Hash[]
}

export interface ReadRetirement {
  readonly leaf: RetirementLeaf
  readonly index: number
  readonly path: readonly Hash[]
}

export interface ReadProof {
  readonly tenant: string
  readonly callId: string
  readonly checkpoint: string
  readonly groups: readonly ReadGroup[]
  readonly retirements: readonly ReadRetirement[]
  readonly next: number | undefined
}

export type ProofReading =
  | { readonly ok: true; readonly proof: ReadProof }
  | { readonly ok: false; readonly where: string; readonly reason: string }

/** Facts are one text each, so a long proof has many bytes but few values. */
const limits = { maxBytes: 64 * 1_048_576, maxDepth: 6, maxValues: 1_000_000 }
const maxGroups = 10_000
const maxRetirements = 1_000
const maxCheckpoint = 65_536

export function readProof(source: unknown): ProofReading {
  const reading = typeof source === 'string' ? readJson(source, limits) : copyParsed(source, limits)
  if (!reading.ok) return { ok: false, where: reading.refusal.pointer, reason: reading.refusal.message }
  const misfits: ProofMisfit[] = []
  const proof = readFields(reading.value, misfits)
  const [first] = misfits
  return first === undefined ? { ok: true, proof } : { ok: false, ...first }
}

function readFields(document: JsonValue, misfits: ProofMisfit[]): ReadProof {
  const names = ['format', 'tenant', 'call_id', 'checkpoint', 'groups', 'retirements', 'next']
  const fields = fieldsOf(document, '', names, misfits)
  fields.only('format', proofFormat)
  const tenant = fields.text('tenant')
  return {
    tenant,
    callId: fields.text('call_id'),
    checkpoint: fields.text('checkpoint', maxCheckpoint),
    groups: fields.list('groups', maxGroups).map((group, at) => readGroup(group, `/groups/${at}`, misfits)),
    retirements: fields.has('retirements')
      ? fields
          .list('retirements', maxRetirements)
          .map((retirement, at) => readRetirement(retirement, `/retirements/${at}`, tenant, misfits))
      : [],
    next: fields.has('next') ? fields.count('next') : undefined,
  }
}

function readGroup(value: JsonValue, where: string, misfits: ProofMisfit[]): ReadGroup {
  // Either the content or its commitment: both at once could contradict each other.
  const shown = isObject(value) && !Object.hasOwn(value, 'commitment')
  const names = ['group', 'pass', 'previous', 'index', 'path', ...(shown ? ['salt', 'facts'] : ['commitment'])]
  const fields = fieldsOf(value, where, names, misfits)
  return {
    group: fields.count('group'),
    pass: fields.count('pass'),
    previous: fields.hash('previous'),
    content: shown ? readContent(fields) : { commitment: fields.hash('commitment') },
    index: fields.count('index'),
    path: fields.path('path'),
  }
}

function readContent(fields: Fields): Content & { readonly facts: string } {
  const facts = fields.text('facts', limits.maxBytes)
  return { salt: fields.hash('salt'), bytes: Buffer.from(facts), facts }
}

function readRetirement(value: JsonValue, where: string, tenant: string, misfits: ProofMisfit[]): ReadRetirement {
  const names = ['number', 'from', 'to', 'leaves', 'reason', 'at', 'previous', 'index', 'path']
  const fields = fieldsOf(value, where, names, misfits)
  return {
    leaf: {
      kind: 'retirement',
      tenant,
      number: fields.count('number'),
      from: fields.text('from'),
      to: fields.text('to'),
      leaves: fields.count('leaves'),
      reason: fields.text('reason'),
      at: fields.instant('at'),
      previous: fields.hash('previous'),
    },
    index: fields.count('index'),
    path: fields.path('path'),
  }
}

interface ProofMisfit {
  /** Pointer into the proof. */
  readonly where: string
  readonly reason: string
}

interface Fields {
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

/** Typed access to the fields of one object of a proof. A field that does not fit is noted with its place and read as an empty value. */
function fieldsOf(value: JsonValue, where: string, names: readonly string[], misfits: ProofMisfit[]): Fields {
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
