// One precedence for all who may object: any deny wins, then the first ask, then allow. Every voice is kept, also those overruled.
import type { Ask } from '../contract/call/call.ts'
import type { ApprovalPattern } from '../contract/effects.ts'

export interface Voice {
  readonly source: string
  /** Which rule of the source spoke, where it has several. */
  readonly rule?: string
  /** `passthrough`: heard, and leaves it to the others. */
  readonly says: 'allow' | 'ask' | 'deny' | 'passthrough'
  readonly message: string
  /** Hash of the rules it comes from, where they are versioned. */
  readonly version?: string
  /** From when on the rule no longer speaks. */
  readonly expires?: string
  /** What an ask demands of the approval. */
  readonly pattern?: ApprovalPattern
  readonly roles?: readonly string[]
  readonly quorum?: number
}

export interface Judgement {
  readonly says: 'allow' | 'ask' | 'deny'
  readonly by: Voice | undefined
}

const silent: Judgement = { says: 'allow', by: undefined }
const harmless: ReadonlySet<string> = new Set<Voice['says']>(['allow', 'ask', 'passthrough'])

export function judgeVoices(voices: readonly Voice[]): Judgement {
  if (voices.length === 0) return silent
  // Any other word denies: a voice that cannot be understood must not be taken for consent.
  const deny = voices.find((voice) => !harmless.has(voice.says))
  if (deny !== undefined) return { says: 'deny', by: deny }
  const ask = voices.find((voice) => voice.says === 'ask')
  if (ask !== undefined) return { says: 'ask', by: ask }
  return { says: 'allow', by: voices.find((voice) => voice.says === 'allow') }
}

/** Who spoke, as people read it: `permission/organisation/night`. */
export function voiceName({ source, rule }: Pick<Voice, 'source' | 'rule'>): string {
  return rule === undefined ? source : `${source}/${rule}`
}

/** What the asking voices ask for, in their order. */
export function asksOf(voices: readonly Voice[]): readonly Ask[] {
  return voices.flatMap((voice): readonly Ask[] => {
    if (voice.says !== 'ask') return []
    const { message, version, pattern, roles, quorum } = voice
    return [
      {
        source: voiceName(voice),
        message,
        ...(version === undefined ? {} : { version }),
        ...(pattern === undefined ? {} : { pattern }),
        ...(roles === undefined ? {} : { roles }),
        ...(quorum === undefined ? {} : { quorum }),
      },
    ]
  })
}
