// Where something stands in a text, as people count: lines and columns from one. The engine counts UTF-8 bytes.
import type { Place } from './policy.ts'

export function placeAt(source: string, text: string, index: number): Place {
  const before = text.slice(0, index)
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  return { source, line, column: index - before.lastIndexOf('\n') }
}

export function placeAtByte(source: string, text: string, bytes: number): Place {
  return placeAt(source, text, Buffer.from(text).subarray(0, bytes).toString().length)
}

/** A place within a part of a text, seen from the whole. */
export function placeWithin(start: Place, part: string, bytes: number): Place {
  const { line, column } = placeAtByte(start.source, part, bytes)
  const { source } = start
  return { source, line: start.line + line - 1, column: line === 1 ? start.column + column - 1 : column }
}
