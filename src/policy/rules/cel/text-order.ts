// Texts as CEL sees them: sequences of code points, in order of code points, not of UTF-16 units.

/** Negative, zero or positive. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index++) {
    const one = a.charCodeAt(index)
    const other = b.charCodeAt(index)
    if (one !== other) return rank(one) - rank(other)
  }
  return a.length - b.length
}

/** Halves of pairs stand for code points above all others, yet below U+E000 as units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Whether every character is one UTF-16 unit, so that offsets mean the same in both countings. */
function hasNoPairs(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text)
}

/** The built-in search for a surrogate is three times as fast as a loop, and most texts hold none. */
export function countCodePoints(text: string): number {
  if (hasNoPairs(text)) return text.length
  let count = 0
  for (let index = 0; index < text.length; index++, count++) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index++
  }
  return count
}

/** Undefined where the range is not inside the text. */
export function sliceCodePoints(text: string, start: number, end: number | undefined): string | undefined {
  const points = hasNoPairs(text) ? text : Array.from(text)
  const until = end ?? points.length
  if (start < 0 || until < start || until > points.length) return undefined
  return typeof points === 'string' ? points.slice(start, until) : points.slice(start, until).join('')
}

export function indexInCodePoints(text: string, wanted: string): number {
  const index = text.indexOf(wanted)
  return index <= 0 || hasNoPairs(text) ? index : Array.from(text.slice(0, index)).length
}
