// Text that came from outside, made safe to print: a model or a tool must not be able to steer the terminal.

// C0 but for tab and line feed, DEL and C1, the separators of lines, and the marks that reorder what a person reads.
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Control characters and marks of direction are shown by their code. */
export function safeText(text: string): string {
  return text.replace(unsafe, (character) => {
    if (character === '\n' || character === '\t') return character
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** JSON for a terminal or a program: the same value, with what steers a terminal written as JSON escapes it. */
export function jsonText(value: unknown, indent?: number): string {
  return safeText(JSON.stringify(value, null, indent) ?? 'null')
}

/** On one line: line breaks are shown by their code, so that no text can pass for another row. */
export function lineText(text: string): string {
  return safeText(text).replaceAll('\n', '\\n')
}

/** One line, cut to a length. */
export function cutText(text: string, length: number): string {
  const line = safeText(text.replaceAll(/\s+/g, ' ').trim())
  return line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line
}

/** A JSON value on one line, cut to a length. */
export function shortJson(value: unknown, length: number): string {
  return cutText(JSON.stringify(value) ?? '', length)
}
