// Texts and values of somebody else in a sentence of ours: short, and on one line.

const maxLength = 160

/** Canonical texts as one phrase; nothing where there are none. */
export function told(texts: readonly string[]): string {
  return texts.length === 0 ? 'nothing' : short(texts.join(' or '))
}

export function short(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text
}
