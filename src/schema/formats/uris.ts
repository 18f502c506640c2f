// URIs and IRIs (RFC 3986, RFC 3987), URI templates (RFC 6570) and JSON Pointers, each by linear checks per component.
import { isIpv6Address } from './hosts.ts'

/** What comes before the path; the rest of a text is parted at its first `#` and the first `?` before that. */
const leadingComponents = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?/
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*$/
const futureAddress = /^[vV][0-9a-fA-F]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+$/

const plain = "A-Za-z0-9\\-._~!$&'()*+,;="
const international =
  '\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}' +
  Array.from(
    { length: 14 },
    (_, plane) => `\\u{${(plane + 1).toString(16)}0000}-\\u{${(plane + 1).toString(16)}fffd}`,
  ).join('')
const privateUse = '\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}'

interface Characters {
  readonly user: RegExp
  readonly host: RegExp
  readonly path: RegExp
  readonly query: RegExp
  readonly fragment: RegExp
}

const uriCharacters = charactersOf('', '')
const iriCharacters = charactersOf(international, privateUse)

export function isUri(text: string): boolean {
  return isIdentifier(text, uriCharacters, true)
}

export function isUriReference(text: string): boolean {
  return isIdentifier(text, uriCharacters, false)
}

export function isIri(text: string): boolean {
  return isIdentifier(text, iriCharacters, true)
}

export function isIriReference(text: string): boolean {
  return isIdentifier(text, iriCharacters, false)
}

const variable = '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*(?:\\*|:[1-9][0-9]{0,3})?'
const templateSyntax = new RegExp(
  `^(?:[^\\u{0}-\\u{20}"<>%\\\\^\`{|}\\u{7f}]|%[0-9A-Fa-f]{2}|\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\})*$`,
  'u',
)

export function isUriTemplate(text: string): boolean {
  return templateSyntax.test(text)
}

export function isJsonPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)
}

export function isRelativeJsonPointer(text: string): boolean {
  return /^(?:0|[1-9][0-9]*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text)
}

function charactersOf(more: string, moreInQuery: string): Characters {
  const of = (extra: string): RegExp => new RegExp(`^(?:[${plain}${extra}]|%[0-9A-Fa-f]{2})*$`, 'u')
  return {
    user: of(`:${more}`),
    host: of(more),
    path: of(`:@/${more}`),
    query: of(`:@/?${more}${moreInQuery}`),
    fragment: of(`:@/?${more}`),
  }
}

function isIdentifier(text: string, characters: Characters, absolute: boolean): boolean {
  const [leading = '', name, authority] = leadingComponents.exec(text) ?? []
  const [rest, fragment] = partedAt(text.slice(leading.length), '#')
  const [path, query] = partedAt(rest, '?')
  // A colon in the first segment of a relative path also lands here, and is refused as the grammar asks.
  if (name === undefined ? absolute || text.startsWith(':') : !scheme.test(name)) return false
  if (authority === undefined ? path.startsWith('//') : !isAuthority(authority, characters)) return false
  return characters.path.test(path) && characters.query.test(query) && characters.fragment.test(fragment)
}

function partedAt(text: string, mark: string): readonly [before: string, after: string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function isAuthority(authority: string, characters: Characters): boolean {
  const at = authority.lastIndexOf('@')
  if (at !== -1 && !characters.user.test(authority.slice(0, at))) return false
  const rest = authority.slice(at + 1)
  if (!rest.startsWith('[')) {
    const colon = rest.indexOf(':')
    const port = colon === -1 ? '' : rest.slice(colon + 1)
    return characters.host.test(colon === -1 ? rest : rest.slice(0, colon)) && /^[0-9]*$/.test(port)
  }
  const close = rest.indexOf(']')
  if (close === -1) return false
  const address = rest.slice(1, close)
  return (isIpv6Address(address) || futureAddress.test(address)) && /^(?::[0-9]*)?$/.test(rest.slice(close + 1))
}
