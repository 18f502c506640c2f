// The line and column of a pointer in a tool file, so that an editor can jump there. YAML and JSON alike: JSON is YAML.
import { isPointer, tokensOf } from '../../json/pointer.ts'

export interface Position {
  readonly line: number
  readonly column: number
}

export type Locate = (pointer: string) => Position | undefined

/** Finds the nearest place that exists: what is missing is reported where it should stand. */
export async function locator(text: string): Promise<Locate> {
  const { isCollection, isNode, isPair, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parsed(() => parseDocument(text, { lineCounter: lines, keepSourceTokens: false }))
  if (document === undefined) return () => undefined
  const offsetOf = (tokens: readonly string[]): number | undefined => {
    let here: unknown = document.contents
    let offset: number | undefined
    for (const token of tokens) {
      if (!isCollection(here)) break
      const pair = here.items.find((item) => isPair(item) && isNode(item.key) && String(item.key) === token)
      const item = isPair(pair) ? pair.value : here.items[Number(token)]
      const mark = isPair(pair) ? pair.key : item
      if (!isNode(mark) || mark.range === undefined || mark.range === null) break
      offset = mark.range[0]
      here = item
    }
    return offset
  }
  return (pointer) => {
    if (document.errors.length > 0 || !isPointer(pointer)) return undefined
    const offset = offsetOf(tokensOf(pointer))
    if (offset === undefined) return undefined
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
}

/** A text may be nested so deeply that its parser gives up; the reading of the file has said so. */
function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
