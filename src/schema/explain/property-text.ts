// Sentences about properties that are missing, undeclared or badly named, and how such errors belong together.
import type { NormalSchema } from '../normal.ts'
import { counted, cut, escapeUnseen, listWords, quoteName } from './bounded-text.ts'
import { withArticle } from './expected-text.ts'
import type { Finding } from './finding.ts'
import { hidesKeys, type Place } from './place.ts'
import type { ErrorTexts, SentenceContext } from './sentence-context.ts'

const maxNames = 10

export function missingText(finding: Finding, context: SentenceContext): ErrorTexts {
  const { place, because } = finding
  const schema = declaredSchema(finding, context)
  const expected = context.describe(schema)
  const subject = context.subject(place)
  const reason = because === undefined ? 'is required' : `is required because ${quoteName(because)} is given`
  const advice =
    foundElsewhere(place, context) ?? (expected === 'any value' ? ': add it.' : `: send ${withArticle(expected)}.`)
  return { expected, actual: 'missing', message: `${subject} ${reason}${advice}${context.meaning(schema)}` }
}

/** What the schema at hand, or any other applied to the same object, says about the missing property. */
function declaredSchema({ place, node }: Finding, context: SentenceContext): NormalSchema {
  const name = String(place.token)
  const nodes = [node, ...(place.parent?.applied ?? [])]
  for (const one of nodes) {
    if (!context.judge.effort.spend(2)) return true
    const [schema] = context.facets.property(one, name)
    if (schema !== undefined) return schema
  }
  return true
}

function foundElsewhere(place: Place, context: SentenceContext): string | undefined {
  const { parent, token } = place
  if (parent === undefined || typeof token !== 'string' || hidesKeys(parent, context.marked)) return undefined
  const sent = context.names.sentAs(place)
  if (sent !== undefined) {
    return sameButForWriting(sent, token)
      ? `; ${quoteName(sent)} was given instead: rename it.`
      : `; ${quoteName(sent)} was given: if it is meant, rename it.`
  }
  const wrapper = context.names.wrapper(parent)
  if (wrapper === undefined) return undefined
  return ` at this level; it belongs outside ${quoteName(wrapper)}: send the inner object itself.`
}

function sameButForWriting(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

function fold(name: string): string {
  return name
    .slice(0, 200)
    .replace(/[-_.:/\s]+/g, '')
    .toLowerCase()
}

export function unknownText(finding: Finding, context: SentenceContext): ErrorTexts {
  const { place, node } = finding
  const known = context.facets.propertyNames(node)
  const expected = onlyNames(known)
  if (hasHiddenName(place, context)) {
    const owner = place.parent === undefined ? 'The value' : context.subject(place.parent)
    return {
      expected,
      actual: 'undeclared property',
      message: `${owner} has a property that is not declared: leave it out.`,
    }
  }
  const message = `${context.subject(place)} is not a declared property${unknownAdvice(place, known, context)}`
  return { expected, actual: 'undeclared property', message }
}

function hasHiddenName({ parent, declared }: Place, context: SentenceContext): boolean {
  return !declared && parent !== undefined && hidesKeys(parent, context.marked)
}

function onlyNames(known: readonly string[]): string {
  if (known.length === 0) return 'no properties'
  const shown = known.slice(0, maxNames).map((name) => escapeUnseen(cut(name, 40)))
  const more = known.length - shown.length
  const words = more > 0 ? [...shown, `${more} more`] : shown
  return `only ${listWords(words, words.length, 'and')}`
}

function unknownAdvice(place: Place, known: readonly string[], context: SentenceContext): string {
  const { parent, token } = place
  if (parent === undefined || typeof token !== 'string') return '.'
  const home = rightLevel(place, token, context)
  if (home !== undefined) return home
  const meant = context.names.meant(token, known)
  const { value } = parent
  if (meant !== undefined) {
    const given = typeof value === 'object' && value !== null && Object.hasOwn(value, meant)
    return given ? `: leave it out, ${quoteName(meant)} is already given.` : `; did you mean ${quoteName(meant)}?`
  }
  const wraps = context.names.wrapper(parent) === token
  return wraps ? '; it wraps the declared ones: send the inner object itself.' : ': leave it out.'
}

/** A name that is declared one level further in or out was put at the wrong level rather than misspelt. */
function rightLevel({ parent }: Place, token: string, context: SentenceContext): string | undefined {
  if (parent === undefined) return undefined
  const inside = context.names.inner(parent).get(token)
  if (inside !== undefined) return ` here: it belongs inside ${quoteName(inside)}.`
  const above = parent.parent
  if (above === undefined || !context.names.declared(above).has(token)) return undefined
  return ` here: it belongs one level up, beside ${quoteName(String(parent.token))}.`
}

export function nameText(finding: Finding, context: SentenceContext): ErrorTexts {
  const { place, node } = finding
  const rule = context.describe(node.propertyNames ?? true, 4)
  const expected = `property name: ${rule}`
  const name = String(place.token)
  const hidden = hasHiddenName(place, context)
  const actual = hidden ? 'another property name' : `property name of ${counted(name.length, 'character')}`
  const subject = hidden ? 'A property name' : context.subject(place)
  return { expected, actual, message: `${subject} is not an allowed property name: it must be ${withArticle(rule)}.` }
}
