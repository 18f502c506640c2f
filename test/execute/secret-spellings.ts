// A secret, and every way of writing a text that a tool may come by.

export const secret = 'p@ss/w0rd+"of Ann"&<é>=\\x!'

export const bytes = (text: string) => Buffer.from(text)
const percentAll = (text: string) => [...bytes(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
export const escapeAll = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
const entitiesOf = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Every way of writing a text that a tool may come by. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  base64: (text) => bytes(text).toString('base64'),
  'base64 after one byte': (text) => bytes(`:${text}`).toString('base64'),
  'base64 after two bytes': (text) => bytes(`u:${text}`).toString('base64'),
  'base64 within more': (text) => bytes(`user:${text}\nmore`).toString('base64'),
  base64url: (text) => bytes(text).toString('base64url'),
  'base64 in lines': (text) =>
    (
      bytes(text)
        .toString('base64')
        .match(/.{1,9}/g) ?? []
    ).join('\r\n'),
  hex: (text) => bytes(text).toString('hex'),
  'hex in capitals': (text) => bytes(text).toString('hex').toUpperCase(),
  'hex in letters of both sizes': (text) =>
    [...bytes(text).toString('hex')].map((digit, at) => (at % 3 === 0 ? digit.toUpperCase() : digit)).join(''),
  'percent signs': encodeURIComponent,
  'percent signs in small letters': (text) => encodeURIComponent(text).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  'percent signs everywhere': percentAll,
  'percent signs in part': (text) => text.replaceAll('/', '%2f').replaceAll('"', '%22'),
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  'JSON with slashes escaped': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'escapes everywhere': escapeAll,
  entities: entitiesOf,
  'numbered entities': (text) => [...text].map((character) => `&#${character.codePointAt(0)};`).join(''),
  'numbered entities in hex': (text) => [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
  'UTF-16 in base64': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'broken into lines': (text) => (text.match(/.{1,7}/g) ?? []).join('\n'),
}

const twice: readonly (readonly [string, string])[] = [
  ['percent signs', 'percent signs'],
  ['JSON', 'JSON'],
  ['base64', 'base64'],
  ['base64', 'percent signs'],
  ['percent signs', 'base64'],
  ['JSON', 'base64'],
  ['hex', 'base64'],
  ['base64', 'hex'],
  ['form', 'JSON'],
  ['entities', 'percent signs'],
  ['base64', 'JSON with slashes escaped'],
  ['entities', 'base64'],
  ['numbered entities', 'base64'],
  ['numbered entities in hex', 'base64 after one byte'],
  ['numbered entities in hex', 'base64url'],
  ['escapes everywhere', 'base64 within more'],
  ['percent signs everywhere', 'base64 in lines'],
  ['percent signs in part', 'base64 after two bytes'],
  ['entities', 'hex'],
  ['numbered entities in hex', 'hex in letters of both sizes'],
  ['base64', 'hex in letters of both sizes'],
  ['hex in letters of both sizes', 'base64'],
]
export const chains = [
  ...Object.keys(encodings).map((name) => [name]),
  ...twice.map(([inner, outer]) => [inner, outer]),
] as readonly (readonly string[])[]
export const written = (text: string, chain: readonly string[]) =>
  chain.reduce((so, name) => encodings[name]?.(so) ?? so, text)

/** Milliseconds of processor time: other work of the machine does not count. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
