// What every sentence needs: the name of a place, whether its value may be shown, and phrases for schemas.

import { withoutEnd } from '../../json/text-end.ts'
import type { Judge } from '../judge/judge.ts'
import type { NormalSchema } from '../normal.ts'
import { cut } from './bounded-text.ts'
import { createDescribe, type Describe } from './expected-text.ts'
import type { Facets } from './facets.ts'
import { createNameHints, type NameHints } from './name-hints.ts'
import { isSensitive, type Place, type Sensitivity, showPlace } from './place.ts'
import type { Walk } from './walk.ts'

export interface ErrorTexts {
  readonly expected: string
  readonly actual: string
  readonly message: string
}

export interface SentenceContext {
  readonly judge: Judge
  readonly facets: Facets
  readonly names: NameHints
  readonly marked: Sensitivity
  readonly describe: Describe
  /** The place as the subject of a sentence. */
  subject(place: Place): string
  hidden(place: Place): boolean
  /** The first sentence of a description, as a clause to append; empty where there is none. */
  meaning(schema: NormalSchema): string
}

const meaningBound = 120

export function createSentenceContext(walk: Walk, marked: Sensitivity): SentenceContext {
  return {
    judge: walk.judge,
    facets: walk.facets,
    names: createNameHints(walk.judge, walk.facets),
    marked,
    describe: createDescribe(walk.facets, walk.judge.effort),
    subject(place) {
      return place.parent === undefined ? 'The value' : `\`${showPlace(place, marked).field}\``
    },
    hidden: (place) => isSensitive(place, marked),
    meaning(schema) {
      const text = walk.facets.of(schema).find((facet) => facet.description !== undefined)?.description ?? ''
      const [sentence = ''] = text
        .slice(0, 4 * meaningBound)
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.!?]) /)
      const clause = cut(withoutEnd(sentence, '.!?'), meaningBound)
      if (clause === '') return ''
      return clause.endsWith('…') ? ` Meaning: ${clause}` : ` Meaning: ${clause}.`
    },
  }
}
