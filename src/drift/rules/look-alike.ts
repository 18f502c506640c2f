// Names that a person or a model takes for one another: letters of other scripts that look like Latin ones, full-width and styled forms,
// invisible characters, case, separators, and the digits that pass for letters.
import { hiddenIn } from './hidden-text.ts'

/** Letters beside the Latin ones that they pass for; the rest of Unicode's list is reached by NFKC, or is caught as a mixture. */
const passingFor: Readonly<Record<string, string>> = {
  a: 'аɑαạąâäàáãåā',
  b: 'ЬƅЪɓ',
  c: 'сϲçćčᴄ',
  d: 'ԁɗđď',
  e: 'еєёéèêëēęěҽ',
  f: 'ſƒ',
  g: 'ɡġğģց',
  h: 'һհħнн',
  i: 'іıɩιíìîïīįɪ!|1lӏⅼ',
  j: 'јϳʝ',
  k: 'кκķ',
  m: 'мⅿ',
  n: 'пոņńñň',
  o: 'оοօσ0óòôöõøōö',
  p: 'рρϱ',
  q: 'ԛգ',
  r: 'гᴦŕř',
  s: 'ѕśşšꜱ',
  t: 'тτţť',
  u: 'υսúùûüūцʋ',
  v: 'ѵνᴠ',
  w: 'ѡԝωшᴡ',
  x: 'хχ×',
  y: 'уγýÿүყ',
  z: 'ᴢźżžƶ',
}

const latin: ReadonlyMap<string, string> = new Map(
  Object.entries(passingFor).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
)

const maxLength = 256

/** Names with the same skeleton can be taken for one another. */
export function skeleton(name: string): string {
  const plain = name
    .slice(0, maxLength)
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\p{Mn}\p{Cf}\p{Cc}\u115f\u1160\u3164]/gu, '')
    .normalize('NFC')
    .replace(/[\s_.:/-]+/gu, '_')
  return [...plain].map((letter) => latin.get(letter) ?? letter).join('')
}

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Hebrew', 'Arabic', 'Georgian'] as const
const scriptTests = scripts.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const)

/** Why a name is suspicious by itself; undefined for a plain one. */
export function suspicionOf(name: string): string | undefined {
  const [hidden] = hiddenIn(name)
  if (hidden !== undefined) return `it holds ${hidden}`
  const used = scriptTests.flatMap(([script, test]) => (test.test(name) ? [script] : []))
  if (used.length > 1) return `it mixes ${used.join(' and ')} letters`
  return name.normalize('NFKC') === name ? undefined : 'it holds letters in a styled form'
}
