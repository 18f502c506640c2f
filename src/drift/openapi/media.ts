// Which of several media types is taken: JSON before forms, forms before text, and of the same kind the first in the document.
import { appendPointer } from '../../json/pointer.ts'
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'

export type MediaKind = 'json' | 'form' | 'multipart' | 'text' | 'other'

const kinds: readonly MediaKind[] = ['json', 'form', 'multipart', 'text', 'other']

function mediaKind(type: string): MediaKind {
  const name = (type.split(';')[0] ?? '').trim().toLowerCase()
  if (/^(?:application|text)\/(?:[a-z0-9.+-]+\+)?json$/.test(name) || name === '*/*' || name === 'application/*')
    return 'json'
  if (name === 'application/x-www-form-urlencoded') return 'form'
  if (name.startsWith('multipart/')) return 'multipart'
  const isText = name.startsWith('text/') || /^application\/(?:[a-z0-9.+-]+\+)?(?:xml|yaml)$/.test(name)
  return isText ? 'text' : 'other'
}

export interface ChosenMedia {
  readonly type: string
  readonly kind: MediaKind
  readonly value: JsonObject
}

export function chooseMedia(content: JsonValue | undefined): ChosenMedia | undefined {
  const offered = isObject(content)
    ? Object.entries(content).flatMap(([type, value]) =>
        isObject(value) ? [{ type, kind: mediaKind(type), value }] : [],
      )
    : []
  for (const kind of kinds) {
    const found = offered.find((one) => one.kind === kind)
    if (found !== undefined) return found
  }
  return undefined
}

/** Where the schema of that media type stands in a document. */
export const schemaPointer = (holder: string, { type }: ChosenMedia): string =>
  `${appendPointer(`${holder}/content`, type)}/schema`

/** Of 2.0: the best kind among the names of media types that an operation has, or else the document. */
export function bestKind(own: JsonValue | undefined, all: JsonValue | undefined): MediaKind | undefined {
  const types = [own, all].find(Array.isArray)?.filter((type) => typeof type === 'string') ?? []
  return kinds.find((kind) => types.some((type) => mediaKind(type) === kind))
}
