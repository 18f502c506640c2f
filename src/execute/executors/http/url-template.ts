// The URL of a request. Scheme, host and port are constants; a value fills a place in the path or in the query and can never become
// anything else: no segment, no dot-segment, no host, no user, no query, no fragment.
import { Fault } from '../../../contract/fault.ts'
import {
  cannotBeSent,
  onlyArgument,
  readTextTemplate,
  render,
  scalarTexts,
  type TemplateSource,
  type TextTemplate,
} from '../text-template.ts'

export interface UrlTemplate {
  /** Every template in it, to see what it names. */
  readonly templates: readonly TextTemplate[]
  fill(source: TemplateSource): URL
}

type Parameter = readonly [name: string, value: TextTemplate]

export function urlTemplate(url: string, query: Readonly<Record<string, string>> = {}): UrlTemplate {
  const [, origin, path = '', search] = /^(https?:\/\/[^/?#{}]+)(\/[^?#]*)?(?:\?([^#]*))?$/u.exec(url) ?? []
  if (origin === undefined)
    throw new Fault(
      'bad_options',
      'The URL must be http or https with a constant host, and without a fragment: https://api.example.com/orders/{id}.',
    )
  const base = URL.canParse(origin) ? new URL(origin) : undefined
  if (base === undefined || base.username !== '' || base.password !== '')
    throw new Fault('bad_options', 'The URL names no host, or a user in it; credentials go into headers.')
  const segments = splitAtSlashes(path)
    .slice(1)
    .map((segment) => readTextTemplate(segment, 'The URL'))
  for (const segment of segments)
    if (isDots(constantText(segment))) throw new Fault('bad_options', 'The URL has dots for a segment.')
  const parameters: readonly Parameter[] = [
    ...inUrl(search),
    ...Object.entries(query).map(
      ([name, value]): Parameter => [name, readTextTemplate(value, `The parameter ${name}`)],
    ),
  ]
  return {
    templates: [...segments, ...parameters.map(([, value]) => value)],
    fill(source) {
      const filled = segments.map((segment) => fillSegment(segment, source))
      const pairs = parameters.flatMap(([name, value]) => pairsOf(name, value, source))
      const made = new URL(`${base.origin}/${filled.join('/')}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`)
      // The parser of URLs has the last word: what it made of the text must be what was meant.
      const isMeant =
        made.origin === base.origin && made.pathname.split('/').length - 1 === Math.max(1, segments.length)
      if (!isMeant || made.hash !== '') throw cannotBeSent('An argument', 'would change where the request goes')
      return made
    },
  }
}

/** A slash within braces belongs to a pointer. */
function splitAtSlashes(path: string): readonly string[] {
  const segments: string[] = []
  let end = path.length
  let brace = ''
  for (let at = path.length - 1; at >= 0; at--) {
    const letter = path.charAt(at)
    if (letter === '{' || letter === '}') brace = letter
    if (letter !== '/' || brace === '}') continue
    segments.push(path.slice(at + 1, end))
    end = at
  }
  return [path.slice(0, end), ...segments.reverse()]
}

const constantText = (template: TextTemplate): string =>
  template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('')
const isDots = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment)

function fillSegment(segment: TextTemplate, source: TemplateSource): string {
  const text = segment.some(({ kind }) => kind !== 'text') ? render(segment, source, encodeSegment) : literal(segment)
  if (isDots(text)) throw cannotBeSent('An argument', 'would climb in the path')
  return text
}

const literal = (template: TextTemplate): string =>
  template.map((part) => (part.kind === 'text' ? part.text : '')).join('')

function encodeSegment(value: string, what: string): string {
  if (value === '') throw cannotBeSent(what, 'must not be empty in a path')
  // Servers that decode a path before they walk it would climb with these, however they are encoded here.
  if (
    unescaped(value)
      .split(/[/\\]/)
      .some((piece) => piece === '.' || piece === '..')
  )
    throw cannotBeSent(what, 'must not climb in the path')
  if (/\p{Cc}/u.test(value)) throw cannotBeSent(what, 'must not hold control characters in a path')
  return encode(value, what)
}

function encode(value: string, what: string): string {
  if (!value.isWellFormed()) throw cannotBeSent(what, 'holds half of a character')
  return encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Decoded as often as it may have been encoded. */
function unescaped(value: string): string {
  let text = value
  for (let round = 0; round < 3; round++) {
    const next = text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === text) break
    text = next
  }
  return text
}

function inUrl(search: string | undefined): readonly Parameter[] {
  if (search === undefined || search === '') return []
  return search.split('&').map((pair): Parameter => {
    const at = pair.indexOf('=')
    const name = at === -1 ? pair : pair.slice(0, at)
    if (name.includes('{')) throw new Fault('bad_options', 'The name of a parameter in the URL is a constant.')
    return [decoded(name), constantDecoded(readTextTemplate(at === -1 ? '' : pair.slice(at + 1), 'The URL'))]
  })
}

/** What is written in the URL is encoded already. */
const constantDecoded = (template: TextTemplate): TextTemplate =>
  template.map((part) => (part.kind === 'text' ? { kind: 'text', text: decoded(part.text) } : part))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Fault('bad_options', 'The query of the URL has a percent sign that encodes nothing.')
  }
}

/** `name=value`, once for each element of a list; nothing where the only value is absent. */
function pairsOf(name: string, value: TextTemplate, source: TemplateSource): readonly string[] {
  const key = encode(name, 'The name of a parameter')
  const only = onlyArgument(value)
  if (only === undefined) return [`${key}=${encode(render(value, source), 'A parameter')}`]
  return scalarTexts(source.args, only).map(({ text }) => `${key}=${encode(text, name)}`)
}
