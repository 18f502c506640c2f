// Sentences about negations and unions: what is excluded, what fits too often, what at least one alternative needs.
import type { NormalSchema } from '../normal.ts'
import { actualText } from './actual-text.ts'
import { counted, listWords, quoteName } from './bounded-text.ts'
import { withArticle } from './expected-text.ts'
import type { Finding } from './finding.ts'
import type { ErrorTexts, SentenceContext } from './sentence-context.ts'

const maxNames = 8

export function excludedText(finding: Finding, context: SentenceContext): ErrorTexts {
  const { place, node, keyword } = finding
  const { not = true } = node
  const phrase = context.describe(not)
  const names = requiredNames(not, context)
  const given = actualText(place.value, keyword, context.hidden(place))
  const subject = context.subject(place)
  if (names.length > 0) {
    const list = listWords(names.map(quoteName), maxNames, 'and')
    const message = `${subject} must not have ${list}${names.length > 1 ? ' together' : ''}.${context.meaning(node)}`
    return { expected: `object without ${names.length > 1 ? 'all of ' : ''}${list}`, actual: given, message }
  }
  const vague = phrase === 'any value'
  return {
    expected: vague ? 'a value outside the excluded form' : `anything but ${phrase}`,
    actual: given,
    message: `${subject} must not be ${vague ? 'of the excluded form' : withArticle(phrase)}.${context.meaning(node)}`,
  }
}

function requiredNames(schema: NormalSchema, context: SentenceContext): readonly string[] {
  return [...new Set(context.facets.of(schema).flatMap((facet) => facet.required ?? []))]
}

export function matchingText(finding: Finding, context: SentenceContext): ErrorTexts {
  const { place, node, numbers = [] } = finding
  const branches = node.oneOf ?? []
  const titles = numbers.map((index) => titleOf(branches[index] ?? true, index, context))
  const fits = listWords(titles, 4, 'and')
  return {
    expected: `exactly one of ${counted(branches.length, 'alternative')}`,
    actual: `fits ${numbers.length} of them`,
    message: `${context.subject(place)} must fit exactly one alternative, but fits ${fits}. Leave out what belongs to the others.`,
  }
}

function titleOf(schema: NormalSchema, index: number, context: SentenceContext): string {
  const title = context.facets.of(schema).find((facet) => facet.title !== undefined)?.title
  return title === undefined ? `number ${index + 1}` : quoteName(title)
}

export function lackingText(finding: Finding, context: SentenceContext): ErrorTexts {
  const { place, keyword, lacking = [] } = finding
  const groups = lacking.map((names) => listWords(names.map(quoteName), maxNames, 'and'))
  const choice = [...new Set(groups)].slice(0, maxNames).join(', or ')
  const only = keyword === 'oneOf' ? ', and only one of these' : ''
  return {
    expected: `object with ${choice}`,
    actual: actualText(place.value, 'type', true),
    message: `${context.subject(place)} must have ${choice}${only}.`,
  }
}
