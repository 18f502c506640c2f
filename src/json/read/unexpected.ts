// Words for a character that does not belong where it stands: the cold side of the reader. Only punctuation and words
// from a fixed list are ever named; any other character may be part of a value and is described, not shown.

const foreignWords: readonly (readonly [word: string, advice: string])[] = [
  ['NaN', 'JSON has no NaN; write null or a string'],
  ['Infinity', 'JSON has no Infinity; write null or a string'],
  ['-Infinity', 'JSON has no Infinity; write null or a string'],
  ['undefined', 'JSON has no undefined; leave the member out or write null'],
  ['None', 'write null in place of None'],
  ['True', 'write true in lower case'],
  ['False', 'write false in lower case'],
  ['null', 'null does not belong here'],
  ['true', 'true does not belong here'],
  ['false', 'false does not belong here'],
]

/** What stands at the offset and, where the mistake is a known one, what to write instead. */
export function describeUnexpected(text: string, at: number): string {
  for (const [word, advice] of foreignWords) if (text.startsWith(word, at)) return `${word}: ${advice}`
  const character = text.charAt(at)
  switch (character) {
    case '}':
    case ']':
      return isAfterComma(text, at) ? `${character} after a comma: leave that comma out` : `the character ${character}`
    case "'":
      return 'a single quote: write double quotes around keys and strings'
    case '/':
      return 'a slash: JSON has no comments, leave them out'
    case '#':
      return 'a number sign: JSON has no comments, leave them out'
    case '`':
      return 'a backtick: write bare JSON without a code fence'
    case '.':
      return 'a point: write a digit before it, as in 0.5'
    case '+':
      return 'a plus sign: write the number without it'
    case '\uFEFF':
      return 'a byte order mark: leave it out'
    case '\u00A0':
      return 'a no-break space: write a plain space or none'
    case '“':
    case '”':
      return 'a typographic quote: write a straight double quote'
  }
  if (/^[!-/:-@[-`{-~]$/.test(character)) return `the character ${character}`
  if (/^[0-9]$/.test(character)) return 'a digit'
  if (/^[A-Za-z]$/.test(character)) return 'a bare word: text needs double quotes around it'
  return 'a character that has no meaning in JSON'
}

/** Line and column, from 1, of an offset; columns count UTF-16 code units. */
export function positionOf(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1
  let lineStart = 0
  for (let feed = text.indexOf('\n'); feed !== -1 && feed < at; feed = text.indexOf('\n', lineStart)) {
    line++
    lineStart = feed + 1
  }
  return { line, column: at - lineStart + 1 }
}

function isAfterComma(text: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && ' \n\r\t'.includes(text.charAt(before))) before--
  return text.charAt(before) === ','
}
