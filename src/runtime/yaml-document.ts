// YAML as it is read everywhere: version 1.2, in linear time, and with nothing in it that two readers could take for different things.
import type { Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml'

type Yaml = typeof import('yaml')
type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions

/** More anchors, aliases and tags than any file of ours has; the reader takes their square in time. */
const mostMarks = 1_000

/** Nothing in a file is nested deeper than this. */
const deepest = 1_000

/** The document, or what is wrong with it. Throws where its nesting is more than a stack can hold. */
export function readYaml(text: string, yaml: Yaml, options: YamlOptions = {}): Document.Parsed | string {
  if (hasManyMarks(text, yaml)) return `It has more than ${mostMarks} anchors, aliases and tags.`
  // Its own search for a key that stands twice takes the square of their number, and sees no aliases: see `keyProblem`.
  const document = yaml.parseDocument(text, { strict: true, ...options, uniqueKeys: false, version: '1.2' })
  const [error = document.warnings[0]] = document.errors
  if (error !== undefined) return error.message.split('\n')[0] ?? ''
  const { version } = document.directives?.yaml ?? {}
  if (version !== undefined && version !== '1.2') return `It is YAML ${version}. Write YAML 1.2.`
  return keyProblem(document, yaml) ?? document
}

function hasManyMarks(text: string, { Lexer }: Yaml): boolean {
  // Most files have too few of these characters anywhere.
  let characters = 0
  for (const _ of text.matchAll(/[&*!]/g)) if (++characters > mostMarks) break
  if (characters <= mostMarks) return false
  let marks = 0
  // The text of a scalar comes behind a sign of its own.
  let isScalar = false
  for (const token of new Lexer().lex(text)) {
    if (!isScalar && /^[&*!]/.test(token) && ++marks > mostMarks) return true
    isScalar = token === '\u001f'
  }
  return false
}

/** A key is one scalar that says its text, and stands once: as the keys of an object are told apart, 1 and "1" are one key. */
function keyProblem(document: Document.Parsed, { isScalar, visit }: Yaml): string | undefined {
  let problem: string | undefined
  visit(document, {
    Map(_key, { items }, path) {
      const known = new Set<string>()
      for (const { key } of items) {
        const name = isScalar(key) && key.tag !== mergeTag ? keyText(key.value) : undefined
        if (name === undefined) problem = 'A key must be a text, a number, true or false; no alias, list or object.'
        else if (known.has(name)) problem = `The key ${JSON.stringify(name).slice(0, 200)} stands twice.`
        else known.add(name)
      }
      if (path.length > deepest) problem = 'It is nested too deeply.'
      return problem === undefined ? undefined : visit.BREAK
    },
  })
  return problem
}

const mergeTag = 'tag:yaml.org,2002:merge'

const keyText = (value: unknown): string | undefined =>
  value === null || typeof value === 'object' ? undefined : String(value)
