// One precedence for all who may object: any deny wins, then the first ask, then allow. Every voice is kept, also those overruled.

export interface Voice {
  readonly source: string
  readonly says: 'allow' | 'ask' | 'deny'
  readonly message: string
}

export interface Judgement {
  readonly says: Voice['says']
  readonly by: Voice | undefined
  readonly voices: readonly Voice[]
}

const silent: Judgement = { says: 'allow', by: undefined, voices: [] }

export function judge(voices: readonly Voice[]): Judgement {
  if (voices.length === 0) return silent
  // Whatever is neither allow nor ask denies: a voice that cannot be understood must not be taken for consent.
  const deciding =
    voices.find((voice) => voice.says !== 'allow' && voice.says !== 'ask') ??
    voices.find((voice) => voice.says === 'ask')
  const says = deciding === undefined ? 'allow' : deciding.says === 'ask' ? 'ask' : 'deny'
  return { says, by: deciding, voices }
}
