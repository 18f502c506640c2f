// Lengths of texts in code points, counted only where UTF-16 length does not already decide.

export function isShorter(text: string, least: number): boolean {
  return text.length < least || (text.length < 2 * least && codePointLength(text) < least)
}

export function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || codePointLength(text) > most)
}

/** A lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = text.length
  for (let index = 1; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0xdc00 || unit > 0xdfff) continue
    const before = text.charCodeAt(index - 1)
    if (before >= 0xd800 && before <= 0xdbff) length--
  }
  return length
}
