// Names of hosts in one form: lower case, punycode, no trailing dot. A list holds names and suffixes; a suffix means what is below it.
import { domainToASCII } from 'node:url'

/** Undefined where the text is no name of a host: a port, a path, a user or an empty label in it. */
export function domainOf(text: string): string | undefined {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  if (/^\[[0-9a-fA-F:.]+\]$/.test(bare)) return addressIn(bare)
  if (bare === '' || /[\s/\\?#@:[\]%*]/.test(bare)) return undefined
  const ascii = domainToASCII(bare)
  return ascii === '' || ascii.split('.').some((label) => label === '') ? undefined : ascii
}

/** As URLs write IPv6: compressed, in lower case, here without brackets. */
function addressIn(bracketed: string): string | undefined {
  return URL.canParse(`http://${bracketed}/`) ? new URL(`http://${bracketed}/`).hostname.slice(1, -1) : undefined
}

const nameIn = (entry: string) => domainOf(entry.startsWith('*.') ? entry.slice(2) : entry)

/** Whether an entry of a list says anything. */
export const isDomainEntry = (entry: string): boolean => nameIn(entry) !== undefined

/** Whether a name, in its one form, is on a list. */
export function isListed(name: string, entries: readonly string[]): boolean {
  return entries.some((entry) => {
    const listed = nameIn(entry)
    if (listed === undefined) return false
    return entry.startsWith('*.') ? name.endsWith(`.${listed}`) : name === listed
  })
}
