// Where a source is served, as it is kept with its pin: a program, a URL or a file. Secrets are named by environment variables, and never
// written down.
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts'
import { available, type CommandIo, missing, type Needed } from '../command.ts'

export type SourcePlace =
  | { readonly kind: 'program'; readonly command: readonly string[]; readonly env: readonly string[] }
  | { readonly kind: 'server'; readonly url: string; readonly headers: Headers }
  | { readonly kind: 'document'; readonly url: string; readonly headers: Headers }
  | { readonly kind: 'file'; readonly file: string }

/** Names of header lines, with the variables that they come from. */
type Headers = Readonly<Record<string, string>>

/** As it was typed. */
export function typedPlace(io: CommandIo): Needed<SourcePlace> {
  const [source = '', ...command] = io.words
  const env = io.optionList('env')
  const at = io.option('at') ?? (command.length === 0 ? source : undefined)
  if (at === undefined) return available({ kind: 'program', command, env })
  if (command.length > 0) return missing('A source is a program or a place, not both.')
  if (env.length > 0) return missing('--env is for programs.')
  const headers: Record<string, string> = {}
  for (const pair of io.optionList('header')) {
    const [, name, variable] = /^([^=]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(pair) ?? []
    if (name === undefined || variable === undefined)
      return missing('--header takes a name and an environment variable: authorization=SHOP_TOKEN.')
    headers[name.toLowerCase()] = variable
  }
  if (!/^https?:\/\//i.test(at)) {
    if (Object.keys(headers).length > 0) return missing('--header is for URLs.')
    return available({ kind: 'file', file: at })
  }
  if (!URL.canParse(at)) return missing('The URL cannot be read.')
  const url = new URL(at)
  if (url.username !== '' || url.password !== '')
    return missing('Pins are read by many: keep the password in a variable, and name it with --header.')
  const isDocument = io.flag('document') || /\.(json|ya?ml)$/i.test(url.pathname)
  return available({ kind: isDocument ? 'document' : 'server', url: url.href, headers })
}

/** As it is kept. */
export function wireSourcePlace(place: SourcePlace): JsonObject {
  switch (place.kind) {
    case 'program':
      return { kind: place.kind, command: place.command, ...(place.env.length === 0 ? {} : { env: place.env }) }
    case 'file':
      return { kind: place.kind, file: place.file }
    default: {
      const { kind, url, headers } = place
      return { kind, url, ...(Object.keys(headers).length === 0 ? {} : { headers }) }
    }
  }
}

/** As it was kept; undefined where the pin does not say it. */
export function keptSourcePlace(kept: JsonObject | undefined): SourcePlace | undefined {
  if (kept === undefined) return undefined
  const { kind, command, env = [], url, headers = {}, file } = kept
  if (kind === 'program' && areTexts(command) && command.length > 0 && areTexts(env)) return { kind, command, env }
  if (kind === 'file' && typeof file === 'string') return { kind, file }
  if ((kind === 'server' || kind === 'document') && typeof url === 'string' && isObject(headers)) {
    if (areTexts(Object.values(headers))) return { kind, url, headers: headers as Headers }
  }
  return undefined
}

const areTexts = (value: JsonValue | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

export const shownSourcePlace = (place: SourcePlace): string =>
  place.kind === 'program' ? place.command.join(' ') : place.kind === 'file' ? place.file : place.url
