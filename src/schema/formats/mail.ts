// Mail addresses: RFC 5321 mailboxes, and RFC 6531 ones, whose parts may hold any Unicode letter.
import { isHostname, isIdnHostname, isIpv4, isIpv6Address } from './hosts.ts'

const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const quoted = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/
const unicodeAtoms =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u{80}-\u{10ffff}-]+)*$/u
const unicodeQuoted = /^"(?:[ !#-[\]-~\u{80}-\u{10ffff}]|\\[ -~])*"$/u

export function isEmail(text: string): boolean {
  return isMailbox(text, (local) => atoms.test(local) || quoted.test(local), isHostname)
}

export function isIdnEmail(text: string): boolean {
  return isMailbox(text, (local) => unicodeAtoms.test(local) || unicodeQuoted.test(local), isNormalizedHostname)
}

/** RFC 6531 lets the sender leave normalization to the server. */
function isNormalizedHostname(domain: string): boolean {
  return isIdnHostname(domain.normalize('NFC'))
}

function isMailbox(text: string, isLocal: (text: string) => boolean, isDomain: (text: string) => boolean): boolean {
  const at = text.lastIndexOf('@')
  if (at === -1 || text.length > 1000) return false
  const domain = text.slice(at + 1)
  return isLocal(text.slice(0, at)) && (isDomain(domain) || isAddressLiteral(domain))
}

function isAddressLiteral(domain: string): boolean {
  if (!domain.startsWith('[') || !domain.endsWith(']')) return false
  const address = domain.slice(1, -1)
  return /^IPv6:/i.test(address) ? isIpv6Address(address.slice(5)) : isIpv4(address)
}
