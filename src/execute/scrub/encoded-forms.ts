// Every way in which one secret may be written as a whole: itself, and in base64 and hex, also twice over. Spellings character by
// character (percent signs, escapes, entities) are undone in the text instead (decoded-text.ts), because there are too many of them.

export interface Form {
  readonly text: string
  readonly by: 'letters' | 'hex' | 'base64'
}

/** A pattern shorter than this would be found by chance. */
const leastPattern = 6
/** A line of a key of several lines that is worth hiding by itself. */
const leastLine = 20
/** Longer secrets are not encoded twice in practice, and their patterns would take megabytes. */
const longestTwice = 4_096

/** All of them, none twice. */
export function encodedForms(secret: string): readonly Form[] {
  const plain = spelled(secret)
  const bytes = [...plain.map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le')]
  const inBytes = Buffer.from(secret)
  const inner = secret.length > longestTwice ? [] : [...base64Cores(inBytes), ...hexForms(inBytes)]
  const wrapped = [...bytes, ...inner.map((text) => Buffer.from(text))]
  const forms = new Map<string, Form>()
  const add = (texts: readonly string[], by: Form['by']) => {
    for (const text of texts) if (text.length >= leastPattern && !forms.has(text)) forms.set(text, { text, by })
  }
  add([...plain, ...linesOf(secret)], 'letters')
  // Looked for in small letters, in a copy of the text in small letters.
  add(
    wrapped.map((one) => one.toString('hex')),
    'hex',
  )
  add(wrapped.flatMap(base64Cores), 'base64')
  return [...forms.values()]
}

/** How it stands in a form, in a URL and in JSON: what other encodings then wrap. */
function spelled(secret: string): readonly string[] {
  const inUrl = encodeURIComponent(secret)
  const inForm = secret.replaceAll(' ', '+')
  return [...new Set([secret, inForm, inUrl, inUrl.replaceAll('%20', '+'), JSON.stringify(secret).slice(1, -1)])]
}

function linesOf(secret: string): readonly string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= leastLine && line.length < secret.length)
}

function hexForms(bytes: Buffer): readonly string[] {
  const hex = bytes.toString('hex')
  return [hex, hex.toUpperCase()]
}

/** The characters of base64 that the bytes alone decide, wherever in a longer text of bytes they stand; in both alphabets. */
function base64Cores(bytes: Buffer): readonly string[] {
  const cores: string[] = []
  for (let before = 0; before < 3; before++) {
    const padded = Buffer.alloc(before + bytes.length)
    bytes.copy(padded, before)
    const text = padded.toString('base64')
    const core = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    cores.push(core)
    if (/[+/]/.test(core)) cores.push(core.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return cores
}
