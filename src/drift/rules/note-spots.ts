// Where a schema says something else beside which values it takes: defaults, formats, descriptions. One spot a place, with both sayings.
import { fieldPath } from '../../json/pointer.ts'
import type { JsonValue } from '../../json/value.ts'
import type { NoteChange } from './field-notes.ts'
import type { Spot, ToolPair } from './rule.ts'
import { told } from './told.ts'

interface Telling {
  readonly part: 'input' | 'output'
  wants(keyword: string): boolean
  tell(change: NoteChange): string
}

export function noteSpots(pair: ToolPair, { part, wants, tell }: Telling): readonly Spot[] {
  return pair[part].notes
    .filter(({ keyword }) => wants(keyword))
    .map((change) => ({ pointer: `/${part}${change.place}`, message: tell(change), ...values(change) }))
}

export function formatSpots(pair: ToolPair, part: 'input' | 'output'): readonly Spot[] {
  return noteSpots(pair, {
    part,
    wants: (keyword) => keyword === 'format',
    tell: ({ place, before, after }) =>
      `The format of ${fieldPath(place)} was ${told(before)} and is ${told(after)} now.`,
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
