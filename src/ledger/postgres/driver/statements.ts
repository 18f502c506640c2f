// The statements of statements/*.sql, by name. A part is text that several statements have in common, and may have parts itself.
import { readdirSync, readFileSync } from 'node:fs'
import { installation } from '../../log/unbound.ts'
import { withLockNumbers } from '../locks.ts'

const folder = new URL('../statements/', import.meta.url)

interface Texts {
  readonly statements: ReadonlyMap<string, string>
  readonly parts: ReadonlyMap<string, string>
}

let known: Texts | undefined

export const statement = (name: string): string => textIn('statements', name)

export const statementPart = (name: string): string => textIn('parts', name)

function textIn(kind: keyof Texts, name: string): string {
  known ??= readTexts()
  const text = known[kind].get(name)
  if (text === undefined) throw new Error(`There is no text ${name} among the ${kind}.`)
  return text
}

function readTexts(): Texts {
  const sections = readdirSync(folder)
    .sort()
    .flatMap((file) => sectionsOf(readFileSync(new URL(file, folder), 'utf8')))
  const parts = new Map(sections.flatMap(([kind, name, text]) => (kind === 'part' ? [[name, text]] : [])))
  const filled = (text: string): string =>
    text.replaceAll(/\/\* (\w+) \*\//g, (marker, name: string) => {
      const part = parts.get(name)
      return part === undefined ? marker : filled(part)
    })
  const statements = new Map<string, string>()
  for (const [kind, name, text] of sections) {
    if (kind === 'part') continue
    if (statements.has(name)) throw new Error(`The statement ${name} is there twice.`)
    statements.set(name, withLockNumbers(filled(text)).replaceAll('/* installation */', installation))
  }
  return { statements, parts }
}

function sectionsOf(text: string): readonly (readonly [kind: string, name: string, text: string])[] {
  return text
    .split(/^-- (?=(?:name|part): )/m)
    .slice(1)
    .map((section) => {
      const [, kind = '', name = ''] = /^(name|part): (.+)/.exec(section) ?? []
      return [kind, name, section.slice(section.indexOf('\n') + 1).trim()]
    })
}

/**
 * The text that calls a function of this layout: its parameters in the order of its rows, and after them its own.
 *
 * @param rows How many parameters each of its lists of rows has.
 * @param own The types of its own parameters.
 */
export function functionCall(name: string, rows: readonly number[], own: readonly string[]): string {
  const before = rows.reduce((sum, count) => sum + count, 0)
  const parameters = [
    ...Array.from({ length: before }, (_, index) => `$${index + 1}`),
    ...own.map((type, index) => `$${before + index + 1}::${type}`),
  ]
  return statement(name).replace('/* arguments */', parameters.join(', '))
}
