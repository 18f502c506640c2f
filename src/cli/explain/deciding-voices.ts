// Who decided: the rules, policies and hooks behind the verdict that ended a pass, each with its source and the version it was judged by.
// Evidence comes from a file, so every field may be missing.
import type { Fact } from '../../contract/call/fact.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { voiceName } from '../../policy/voices.ts'

export interface DecidingVoice {
  /** `cedar/large-orders`, `permission/organisation/night`, `class/confirmation`, `rule/total-is-the-sum`. */
  readonly name: string
  readonly says: string
  readonly message: string
  /** Hash of the policies it comes from; null where they are not versioned. */
  readonly version: string | null
}

/** Of the facts of one pass, those that spoke the way the pass ended. */
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
    // Whatever is neither an ask nor harmless has denied.
    const isWanted = wanted === 'ask' ? says === 'ask' : !['allow', 'ask', 'passthrough'].includes(String(says))
    if (!isWanted) return []
    const name = voiceName({ source: text(source), ...(typeof rule === 'string' ? { rule } : {}) })
    return [{ name, says: text(says), message: text(message), version: typeof version === 'string' ? version : null }]
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

const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '?')
