// Addresses of mail, by a grammar narrower than the standard's: a plain local part, an ASCII or internationalized domain, perhaps a name
// before it. Quoted local parts, comments, groups and lists in one text are refused: two readers read them differently.
import { domainOf, isListed } from '../../../contract/tool/domain.ts'

export interface MailAddress {
  readonly name: string
  /** `local@domain`, the domain in its one form. */
  readonly address: string
  readonly domain: string
}

const local = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const maxLocal = 64
const maxAddress = 254
const maxName = 200
/** With blanks around its parts; no mail program writes more. */
const maxText = 1_000

/** Undefined for a text that is not exactly one address. */
export function readAddress(text: string): MailAddress | undefined {
  if (text.length > maxText || /\p{Cc}|\p{Cf}/u.test(text)) return undefined
  const trimmed = text.trim()
  const open = trimmed.endsWith('>') ? trimmed.indexOf('<') : -1
  const name = open === -1 ? '' : plainName(trimmed.slice(0, open).trimEnd())
  if (name === undefined) return undefined
  const bare = open === -1 ? trimmed : trimmed.slice(open + 1, -1)
  const at = bare.lastIndexOf('@')
  const localPart = bare.slice(0, at)
  const domain = at === -1 ? undefined : domainOf(bare.slice(at + 1))
  if (domain === undefined || !domain.includes('.') || !/^[a-z0-9.-]+$/.test(domain)) return undefined
  if (!local.test(localPart) || localPart.length > maxLocal) return undefined
  const address = `${localPart}@${domain}`
  return address.length > maxAddress ? undefined : { name, address, domain }
}

/** A name that holds an address, what separates addresses, or an encoded word may deceive a reader or a parser. */
function plainName(text: string): string | undefined {
  const bare = /^"([^"\\]*)"$/u.exec(text)?.[1] ?? text
  return /[@<>",;:\\()]|=\?/u.test(bare) || bare.length > maxName ? undefined : bare.trim()
}

/** Whether an entry of a list of recipients says anything: an address, a domain, or a suffix such as *.example.com. */
export function isRecipientEntry(entry: string): boolean {
  if (entry.includes('@')) return readAddress(entry)?.name === '' && !entry.includes('<')
  return domainOf(entry.startsWith('*.') ? entry.slice(2) : entry) !== undefined
}

/** Letters of a local part count alike in both cases: no provider tells them apart. */
export function isAllowed({ address, domain }: MailAddress, entries: readonly string[]): boolean {
  const [addresses, domains] = [
    entries.filter((entry) => entry.includes('@')),
    entries.filter((entry) => !entry.includes('@')),
  ]
  return (
    isListed(domain, domains) ||
    addresses.some((entry) => readAddress(entry)?.address.toLowerCase() === address.toLowerCase())
  )
}
