// The description of a projected place: the author's words first, then the sentences for constraints that are not carried,
// then the default. Values of sensitive places are not repeated.
import { touches } from '../../json/mask.ts'
import { readPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import type { NormalObject, Preprocessed } from '../../schema/normal.ts'
import { defaultText } from './constraint-text.ts'
import type { Projector } from './projector.ts'
import { sourceNode } from './spread.ts'

export interface DescriberInput {
  readonly form: Preprocessed
  /** The schema as it was written, for its defaults. */
  readonly source: JsonObject
  /** Pointers of arguments of which no value is repeated in a description. */
  readonly sensitive: readonly string[]
}

export function createDescriber({ form, source, sensitive }: DescriberInput): Projector['describe'] {
  const defaultOf = (facet: NormalObject): string | undefined => {
    const pointer = form.sourcePointer(sourceNode(facet))
    if (pointer === undefined || pointer.includes('#')) return undefined
    const written = readPointer(source, pointer)
    if (!isObject(written) || !Object.hasOwn(written, 'default')) return undefined
    return defaultText(written.default as JsonValue)
  }
  return (out, facets, sentences, { path }) => {
    const words = facets.find(({ description }) => description !== undefined && description !== '')?.description
    const standard = touches(path, sensitive) ? undefined : facets.map(defaultOf).find((value) => value !== undefined)
    const own = typeof out.description === 'string' ? [out.description] : []
    const all = [
      ...(words === undefined ? [] : [words]),
      ...own,
      ...sentences,
      ...(standard === undefined ? [] : [standard]),
    ]
    const text = [...new Set(all.filter((sentence) => sentence !== ''))].join(' ')
    return text === '' ? out : { ...out, description: text }
  }
}
