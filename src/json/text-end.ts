// Ends of texts without a regular expression: one that looks for the last of several characters begins anew at each of them.

/** The text without those of the characters that it ends with. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** The same at both ends. */
export function withoutEdges(text: string, characters: string): string {
  const head = withoutEnd(text, characters)
  let begin = 0
  while (begin < head.length && characters.includes(head.charAt(begin))) begin++
  return head.slice(begin)
}

/** The text without the part that is under way at its end: what stands behind its last blank. */
export function withoutLastWord(text: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1).trim() !== '') end--
  return text.slice(0, end)
}
