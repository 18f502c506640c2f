// What the recorded evidence says to a person: what a phase saw, in a few words, and who decided. Evidence comes from a file, so every field
// may be missing.
import type { Fact } from '../../contract/call/fact.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { voiceName } from '../../policy/voices.ts'
import { cutText, shortJson } from '../plain-text.ts'

const width = 72
const hashLength = 12

type EvidenceWords = (evidence: JsonObject) => string

/** A row for each phase whose evidence is clearer in words than as JSON. */
const evidenceWords: ReadonlyMap<string, EvidenceWords> = new Map<string, EvidenceWords>([
  [
    'resolve',
    ({ version, route, release, misfit }) =>
      joined([
        `version ${word(version)}${route === 'current' ? '' : `, by ${word(route)}`}`,
        release === undefined ? '' : `release ${hash(release)}`,
        isObject(misfit) ? word(misfit.note) : '',
      ]),
  ],
  [
    'semantics',
    ({ issues, problem }) =>
      joined([count(issues, 'issue'), isObject(problem) ? `preflight: ${word(problem.message)}` : '']),
  ],
  [
    'permission',
    (evidence) => joined([slotText(evidence), Array.isArray(evidence.voices) ? listText(evidence.voices) : '']),
  ],
  [
    'policy',
    ({ labels, voices }) =>
      joined([
        Array.isArray(labels) && labels.length > 0 ? `run carries ${labels.map(word).join(', ')}` : '',
        Array.isArray(voices) ? listText(voices) : '',
      ]),
  ],
  [
    'state',
    ({ state, failed }) =>
      failed === true ? 'the state could not be read' : state === undefined ? '' : `state ${shortJson(state, width)}`,
  ],
  ['confirm', approvalText],
  [
    'schedule',
    ({ index, waited, locks }) =>
      joined([
        typeof index === 'number' ? `call ${index + 1} of its batch` : '',
        waited === undefined ? '' : waited === true ? 'waited for a lock' : 'lock free',
        Array.isArray(locks) ? `${count(locks, 'lock')} of this process` : '',
      ]),
  ],
  [
    'admit',
    ({ generation, attempt, idempotency_key }) =>
      joined([
        `generation ${word(generation)}`,
        `attempt ${word(attempt)}`,
        idempotency_key === null ? '' : `key ${hash(idempotency_key)}`,
      ]),
  ],
  [
    'execute',
    ({ attempt, outcome, effect, starts, retries_blocked, gave_up, scrubbed, credentials }) =>
      joined([
        `attempt ${word(attempt)}: ${word(outcome)}`,
        `effect ${word(effect)}`,
        count(starts, 'start'),
        retries_blocked === undefined ? '' : `not tried again: ${word(retries_blocked)}`,
        gave_up === undefined ? '' : `given up: ${word(gave_up)}`,
        scrubbed === undefined ? '' : `${word(scrubbed)} secrets taken out`,
        isObject(credentials) ? `with ${Object.values(credentials).map(word).join(', ')}` : '',
      ]),
  ],
  [
    'verify',
    ({ state, discrepancy, trust, reads, credentials }) =>
      joined([
        word(state),
        discrepancy === null ? '' : word(discrepancy),
        `trust ${word(trust)}`,
        `${word(reads)} ${reads === 1 ? 'reading' : 'readings'}`,
        isObject(credentials) ? `with ${Object.values(credentials).map(word).join(', ')}` : '',
      ]),
  ],
  [
    'normalize',
    ({ cleaned, suspected, completed, failed }) =>
      joined([
        isObject(cleaned) ? `cleaned: ${shortJson(cleaned, width)}` : '',
        Array.isArray(suspected) ? `injection suspected: ${suspected.map(ruleOf).join(', ')}` : '',
        Array.isArray(completed) && Array.isArray(failed) ? `${completed.length} done, ${failed.length} failed` : '',
      ]),
  ],
  [
    'persist',
    ({ mode, bytes, reason, ref, hooks }) =>
      joined([
        `${word(mode)}, ${word(bytes)} bytes: ${word(reason)}`,
        ref === undefined ? '' : `kept as ${hash(ref)}`,
        Array.isArray(hooks) ? listText(hooks) : '',
      ]),
  ],
  [
    'emit',
    ({ class: name, effect, replayed, result }) =>
      joined([
        word(name),
        result === undefined ? '' : `result ${word(result)}`,
        `effect ${word(effect)}`,
        replayed === true ? 'from the record' : '',
      ]),
  ],
])

export function evidenceText(phase: string, evidence: JsonValue | undefined): string {
  if (evidence === undefined || evidence === null) return ''
  if (Array.isArray(evidence)) return listText(evidence)
  if (!isObject(evidence)) return shortJson(evidence, width)
  return cutText(evidenceWords.get(phase)?.(evidence) ?? shortJson(evidence, width), width * 2)
}

const ruleOf = (suspicion: JsonValue) => (isObject(suspicion) ? word(suspicion.rule) : '')

/** Voices of policies and outputs of hooks. */
function listText(list: readonly JsonValue[]): string {
  const entries = list.map((entry) => {
    if (!isObject(entry)) return shortJson(entry, width)
    const rule = typeof entry.rule === 'string' ? `/${entry.rule}` : ''
    const who = `${word(entry.source ?? entry.hook)}${rule}`
    const what = entry.failed === true ? 'failed' : word(entry.says ?? (entry.stop === undefined ? 'spoke' : 'stop'))
    return `${who}: ${what}`
  })
  return cutText(entries.join(', '), width * 2)
}

function slotText({ ref, record }: JsonObject): string {
  if (!isObject(ref)) return 'no operation to remember'
  const seen = isObject(record)
    ? `on record as ${word(record.status)}, effect ${word(record.effect)}`
    : 'not seen before'
  return `operation by ${word(ref.kind)} ${hash(ref.key)}, ${seen}`
}

function approvalText({ approval, opened, grant }: JsonObject): string {
  if (isObject(grant)) return `let through by the standing approval ${word(grant.id)}`
  if (typeof opened === 'string') return `asked a person: ${opened}`
  if (!isObject(approval)) return 'no person needs to be asked'
  const decisions: readonly JsonValue[] = Array.isArray(approval.decisions) ? approval.decisions : []
  const people = decisions.flatMap((decision) =>
    isObject(decision) ? [`${word(decision.verdict)} by ${word(decision.by)}`] : [],
  )
  return people.length === 0 ? `waits for ${word(approval.id)}` : people.join(', ')
}

const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join(', ')
const word = (value: JsonValue | undefined) =>
  typeof value === 'string' ? value : value === undefined ? '?' : JSON.stringify(value)
const hash = (value: JsonValue | undefined) => word(value).slice(0, hashLength)

function count(value: JsonValue | undefined, name: string): string {
  const length = Array.isArray(value) ? value.length : 0
  return length === 0 ? '' : `${length} ${name}${length === 1 ? '' : 's'}`
}

/** A rule, policy or hook behind the verdict that ended a pass, with the version it was judged by. */
export interface DecidingVoice {
  /** `cedar/large-orders`, `permission/organisation/night`, `class/confirmation`, `rule/total-is-the-sum`. */
  readonly name: string
  readonly says: string
  readonly message: string
  /** Hash of the policies it comes from; null where they are not versioned. */
  readonly version: string | null
}

/** The voices of one pass that asked for what the pass ended with. */
export function decidingVoices(facts: readonly Fact[], deciding: Fact | undefined): readonly DecidingVoice[] {
  if (deciding === undefined) return []
  const { phase, verdict } = deciding
  if (verdict.kind === 'wait') return facts.flatMap((fact) => voicesIn(fact, 'ask'))
  if (verdict.kind !== 'stop') return []
  if (phase === 'permission' || phase === 'policy') return voicesIn(deciding, 'deny')
  return phase === 'semantics' || phase === 'state' ? brokenRules(verdict.errors) : []
}

function voicesIn({ evidence }: Fact, wanted: 'ask' | 'deny'): readonly DecidingVoice[] {
  const given = evidence as JsonValue | undefined
  const voices: readonly JsonValue[] = isObject(given) && Array.isArray(given.voices) ? given.voices : []
  return voices.flatMap((voice): readonly DecidingVoice[] => {
    if (!isObject(voice)) return []
    const { source, rule, says, message, version } = voice
    // Every other voice has denied.
    const isWanted = wanted === 'ask' ? says === 'ask' : !['allow', 'ask', 'passthrough'].includes(String(says))
    if (!isWanted) return []
    const name = voiceName({ source: word(source), ...(typeof rule === 'string' ? { rule } : {}) })
    return [{ name, says: word(says), message: word(message), version: typeof version === 'string' ? version : null }]
  })
}

const broken = /^a value that satisfies (?<id>.+)$/s

function brokenRules(errors: Extract<Fact['verdict'], { kind: 'stop' }>['errors']): readonly DecidingVoice[] {
  const ids = new Map<string, string>()
  for (const { expected, message } of errors) {
    const id = broken.exec(expected)?.groups?.id
    if (id !== undefined && !ids.has(id)) ids.set(id, message)
  }
  return [...ids].map(([id, message]) => ({ name: `rule/${id}`, says: 'deny', message, version: null }))
}
