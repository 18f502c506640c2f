// Which of several media types is taken: JSON before forms, forms before text, and of the same kind the first in the document.
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

/** The kind of the first of the best among names of media types. */
export function bestKind(types: readonly string[]): MediaKind | undefined {
  return kinds.find((kind) => types.some((type) => mediaKind(type) === kind))
}
