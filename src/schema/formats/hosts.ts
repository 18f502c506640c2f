// Host names, plain (RFC 1123, with A-labels checked) and internationalized (IDNA 2008), and IP addresses.
import { isIPv6 } from 'node:net'
import { decodePunycode, encodePunycode } from './punycode.ts'

const ipv4Syntax = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/
const asciiLabel = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/
const maxLabel = 63
const maxName = 253

export function isIpv4(text: string): boolean {
  return ipv4Syntax.test(text)
}

/** Without a zone: RFC 4291 addresses only. */
export function isIpv6Address(text: string): boolean {
  return text.length <= 45 && !text.includes('%') && isIPv6(text)
}

export function isHostname(text: string): boolean {
  return text.length <= maxName && text.split('.').every(isAsciiLabel)
}

export function isIdnHostname(text: string): boolean {
  if (text.length > maxName) return false
  const labels = text.split(/[.\u3002\uff0e\uff61]/u)
  const valid = labels.every((label) => {
    if (isAscii(label)) return isAsciiLabel(label)
    return encodePunycode(label).length + 4 <= maxLabel && isUnicodeLabel(label)
  })
  // One right-to-left label puts the whole name under RFC 5893.
  return valid && (!labels.some(hasRightToLeft) || labels.every(obeysBidi))
}

function isAscii(label: string): boolean {
  return !/[^\0-\x7f]/.test(label)
}

function isAsciiLabel(label: string): boolean {
  if (label.length > maxLabel || !asciiLabel.test(label)) return false
  if (label.slice(2, 4) !== '--') return true
  if (!/^xn--/i.test(label)) return false
  const decoded = decodePunycode(label.slice(4))
  // What decodes to plain ASCII, or encodes back differently, was never an A-label.
  return (
    decoded !== undefined &&
    !isAscii(decoded) &&
    encodePunycode(decoded) === label.slice(4).toLowerCase() &&
    isUnicodeLabel(decoded)
  )
}

const letterOrMark = /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}-]$/u
const mark = /^\p{M}/u
/** RFC 5892: allowed although their properties say otherwise. */
const exceptions = new Set('\u00df\u03c2\u06fd\u06fe\u0f0b\u3007')
/** RFC 5892: refused although their properties say otherwise, and the conjoining jamo. */
const refused = /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u
const virama =
  /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0e3a\u0f84\u1039\u103a\u17d2\u1b44\u{11046}\u{1107f}\u{110b9}\u{11133}\u{111c0}\u{1134d}]/u

function isUnicodeLabel(label: string): boolean {
  const lower = label.toLowerCase()
  if (label.normalize('NFC') !== label || mark.test(label)) return false
  if (label.startsWith('-') || label.endsWith('-') || label.slice(2, 4) === '--') return false
  const characters = Array.from(lower)
  const allowed = characters.every((character, index) => isAllowed(character, index, characters))
  return allowed && (!hasRightToLeft(label) || obeysBidi(label))
}

function isAllowed(character: string, index: number, label: readonly string[]): boolean {
  const rule = contextual.get(character)
  if (rule !== undefined) return rule(index, label)
  if (exceptions.has(character)) return true
  return (
    letterOrMark.test(character) && !refused.test(character) && isStable(character) && !mixesDigits(character, label)
  )
}

/** Characters that compatibility folding changes would not survive a round trip. */
function isStable(character: string): boolean {
  return character.normalize('NFKC').toLowerCase().normalize('NFKC') === character
}

type ContextRule = (index: number, label: readonly string[]) => boolean

/** RFC 5892, appendix A. */
const contextual: ReadonlyMap<string, ContextRule> = new Map<string, ContextRule>([
  ['\u200c', (index, label) => virama.test(label[index - 1] ?? '') || joinsLetters(index, label)],
  ['\u200d', (index, label) => virama.test(label[index - 1] ?? '')],
  ['\u00b7', (index, label) => label[index - 1] === 'l' && label[index + 1] === 'l'],
  ['\u0375', (index, label) => /\p{Script=Greek}/u.test(label[index + 1] ?? '')],
  ['\u05f3', (index, label) => /\p{Script=Hebrew}/u.test(label[index - 1] ?? '')],
  ['\u05f4', (index, label) => /\p{Script=Hebrew}/u.test(label[index - 1] ?? '')],
  [
    '\u30fb',
    (_index, label) =>
      label.some((one) => /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(one) && one !== '\u30fb'),
  ],
])

/** A zero-width non-joiner between Arabic letters that would otherwise join. */
function joinsLetters(index: number, label: readonly string[]): boolean {
  const joining = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}]/u
  return joining.test(label[index - 1] ?? '') && joining.test(label[index + 1] ?? '')
}

/** Arabic-Indic digits and their extended form never stand together. */
function mixesDigits(character: string, label: readonly string[]): boolean {
  if (/[\u0660-\u0669]/u.test(character)) return label.some((one) => /[\u06f0-\u06f9]/u.test(one))
  return false
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const arabicDigit = /[\u0660-\u0669]/u
const otherDigit = /[0-9\u06f0-\u06f9]/u

function hasRightToLeft(label: string): boolean {
  return Array.from(label).some((one) => rightToLeft.test(one) && /\p{L}/u.test(one))
}

/** RFC 5893 as far as letters and digits decide it: a label starts with a letter and keeps to that letter's direction. */
function obeysBidi(label: string): boolean {
  const characters = Array.from(label)
  const letters = characters.filter((one) => /\p{L}/u.test(one))
  if (letters[0] !== characters[0]) return false
  if (!rightToLeft.test(letters[0] ?? '')) return !letters.some((one) => rightToLeft.test(one))
  return letters.every((one) => rightToLeft.test(one)) && !(arabicDigit.test(label) && otherDigit.test(label))
}
