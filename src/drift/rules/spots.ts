// What several rules say in the same way: a value that shows a difference, a note that has changed, a schema that nothing could be proven of,
// and texts of others in our sentences, short and on one line.
import { fieldPath } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import { cut } from '../../schema/explain/bounded-text.ts'
import type { NoteChange } from './field-notes.ts'
import type { ChangeSpot, SchemaPair, ToolPair } from './rule.ts'
import type { Cause } from './schema-difference.ts'

const maxLength = 160

export const sentenceText = (text: string): string => cut(text, maxLength)

/** Canonical texts as one phrase. */
export const notePhrase = (texts: readonly string[]): string =>
  texts.length === 0 ? 'nothing' : sentenceText(texts.join(' or '))

export const causeSpot = (
  part: 'input' | 'output',
  { place, reason, witness }: Cause,
  sentence: string,
): ChangeSpot => ({
  pointer: `/${part}${place}`,
  message: `${sentence} ${reason}`,
  witness,
})

export const fieldSpots = (part: 'input' | 'output', places: readonly string[], end: string): readonly ChangeSpot[] =>
  places.map((place) => ({ pointer: `/${part}${place}`, message: `${fieldPath(place)} ${end}` }))

interface NoteQuestion {
  readonly part: 'input' | 'output'
  wants(keyword: string): boolean
  tell(change: NoteChange): string
}

export function noteSpots(pair: ToolPair, { part, wants, tell }: NoteQuestion): readonly ChangeSpot[] {
  return pair[part].notes
    .filter(({ keyword }) => wants(keyword))
    .map((change) => ({ pointer: `/${part}${change.place}`, message: tell(change), ...values(change) }))
}

export function formatSpots(pair: ToolPair, part: 'input' | 'output'): readonly ChangeSpot[] {
  return noteSpots(pair, {
    part,
    wants: (keyword) => keyword === 'format',
    tell: ({ place, before, after }) =>
      `The format of ${fieldPath(place)} was ${notePhrase(before)} and is ${notePhrase(after)} now.`,
  })
}

/** What was told and what is told now, where it is one thing each. */
function values({ before, after }: NoteChange): { before?: JsonValue; after?: JsonValue } {
  const [old] = before
  const [renewed] = after
  return {
    ...(old === undefined || before.length > 1 ? {} : { before: JSON.parse(old) as JsonValue }),
    ...(renewed === undefined || after.length > 1 ? {} : { after: JSON.parse(renewed) as JsonValue }),
  }
}

/** The first direction that the prover could not decide. */
export function undecidedSpots({ lost, gained }: SchemaPair, part: 'input' | 'output'): readonly ChangeSpot[] {
  const gap = lost.verdict === 'unsupported' ? lost : gained
  if (gap.verdict !== 'unsupported') return []
  return [{ pointer: `/${part}${gap.pointer}`, message: `${gap.construct}: ${gap.reason}` }]
}

export function rewrittenSpots(pair: SchemaPair, part: 'input' | 'output'): readonly ChangeSpot[] {
  if (!pair.changed || pair.lost.verdict !== 'none' || pair.gained.verdict !== 'none') return []
  const isSilent = pair.complete && pair.notes.length + pair.added.length + pair.removed.length === 0
  return isSilent ? [{ pointer: `/${part}`, message: 'Both schemas take the same values.' }] : []
}
