// Judges one answer: was anything let through, refused without cause, or answered with something that is no observation?

import { isDeepStrictEqual } from 'node:util'
import type { Shot } from './fuzz-target.ts'
import type { Opinions } from './opinions.ts'
import type { Draw } from './propose.ts'

export type Finding = 'let_through' | 'over_refused' | 'bad_observations'

const argumentClasses: ReadonlySet<string> = new Set(['STRUCTURAL_VIOLATION', 'TYPE_MISMATCH', 'OUT_OF_BOUNDS'])

/** `thorough`: ask the slower third opinion as well. */
export function judgeShot(draw: Draw, shot: Shot, opinions: Opinions, thorough: boolean): readonly Finding[] {
  const findings: Finding[] = []
  if (!opinions.isObservation(shot.answer.observation)) findings.push('bad_observations')
  if (draw.subject === undefined) return shot.reached === undefined ? findings : [...findings, 'let_through']
  const { name } = draw.subject
  if (shot.reached !== undefined) {
    const sent = plainlySent(draw)
    const { args } = shot.reached
    const changed = sent !== undefined && !isDeepStrictEqual(asJson(sent.value), asJson(args))
    const rejected = !opinions.ajv(name, args) || (thorough && !opinions.hyperjump(name, args))
    if (changed || rejected) findings.push('let_through')
  } else if (argumentClasses.has(shot.answer.observation.status.taxonomy_class)) {
    const sent = plainlySent(draw)
    const isCall = typeof sent?.value === 'object' && sent.value !== null && !Array.isArray(sent.value)
    // Ajv takes inherited names such as hasOwnProperty for evaluated ones, so a refusal is wrong only if both accept.
    if (isCall && opinions.ajv(name, sent.value) && opinions.hyperjump(name, sent.value)) findings.push('over_refused')
  }
  return findings
}

/** Without what JSON cannot say: undefined members, and the sign of zero. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null')

/** The value as any lenient reader sees it; undefined where readers may differ. Null arguments are none; the text `null` is a value. */
function plainlySent({ kind, arguments: given }: Draw): { readonly value: unknown } | undefined {
  if (kind === 'hostile') return undefined
  if (typeof given !== 'string') return { value: given ?? {} }
  try {
    return { value: JSON.parse(given) as unknown }
  } catch {
    return undefined
  }
}
