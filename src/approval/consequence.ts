// What will happen, in plain language: from the template of the binding, or from what the contract says of itself.
// Invariant: values of the call appear only as shown text, so no argument can change the meaning of the sentence.
import type { PacketArgument } from '../contract/approval/approval.ts'
import type { EffectClass } from '../contract/effects.ts'
import type { ContradictionRow } from '../contract/find-contradictions.ts'
import { argumentPointer, readBraces } from '../contract/tool/braces.ts'
import type { Registration } from '../contract/tool/contract-contradictions.ts'
import { undeclaredArguments } from '../contract/tool/declared-arguments.ts'
import type { Contract } from '../contract/tool/envelope.ts'
import { fieldPath, readPointer } from '../json/pointer.ts'
import type { JsonObject } from '../json/value.ts'
import type { Preprocessed } from '../schema/normal.ts'
import { shownText, shownValue } from './shown-text.ts'

export type ConsequenceTemplate = readonly (string | { readonly pointer: string })[]

export type ConsequenceReading =
  | { readonly ok: true; readonly template: ConsequenceTemplate }
  | { readonly ok: false; readonly problem: string }

/** How each effect class is put to a person. */
export const classWords: Readonly<Record<EffectClass, string>> = {
  READ_ONLY: 'It reads and changes nothing.',
  EPHEMERAL_WRITE: 'It writes temporary data that no outsider sees.',
  LOW_RISK_INTERNAL: 'It changes internal data that customers do not see.',
  MEDIUM_RISK_WRITE: 'It changes data that people or teams work with.',
  HIGH_RISK_EXTERNAL: 'It reaches people or systems outside, or changes what they see.',
  CRITICAL_MUTATION: 'It moves money, changes access, deploys or deletes.',
}

const maxTemplate = 2_000
/** The whole value stands among the arguments. All else of the sentence is whole here, and cut where it is shown. */
const sentenceValue = 200

/** `Charges {amount} {currency} to {/customer/id}`: a field or a JSON Pointer in braces; `{{` and `}}` are braces. */
export function readConsequence(text: string): ConsequenceReading {
  if (text.trim() === '' || text.length > maxTemplate)
    return { ok: false, problem: `A consequence is one sentence of at most ${maxTemplate} characters.` }
  const reading = readBraces(text)
  if (!reading.ok) return reading
  const template: (string | { readonly pointer: string })[] = []
  for (const part of reading.parts) {
    const pointer = typeof part === 'string' ? undefined : argumentPointer(part.hole)
    if (typeof part === 'string') template.push(part)
    else if (pointer !== undefined) template.push({ pointer })
    else return { ok: false, problem: `{${shownText(part.hole)}} names neither a field nor a JSON Pointer.` }
  }
  return { ok: true, template }
}

/** The fields of the template that the input schema does not declare, each as a sentence for the author. */
export function checkConsequence(template: ConsequenceTemplate, input: Preprocessed): readonly string[] {
  const named = template.flatMap((part) => (typeof part === 'string' ? [] : [part.pointer]))
  return undeclaredArguments('The consequence', named, input)
}

/** What registration refuses about the sentence that people are shown. */
export const consequenceContradictions: readonly ContradictionRow<Registration>[] = [
  {
    id: 'consequence-unreadable',
    pointer: '/binding/consequence',
    remedy: 'Write one sentence with arguments in braces, such as: Charges {amount} {currency} to {/customer/id}.',
    find({ tool: { binding, input } }) {
      if (typeof binding.consequence !== 'string') return []
      const reading = readConsequence(binding.consequence)
      const problems = reading.ok ? checkConsequence(reading.template, input.form) : [reading.problem]
      return problems.map((detail) => ({ detail }))
    },
  },
]

/** Shown text. What was left out appears with its default, or as not given. */
export function renderConsequence(
  template: ConsequenceTemplate,
  args: JsonObject,
  rows: readonly PacketArgument[],
): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return shownPart(part)
      const given = readPointer(args, part.pointer)
      if (given !== undefined) return shownValue(given, sentenceValue)
      const row = rows.find(({ pointer, origin }) => pointer === part.pointer && origin === 'default')
      return row === undefined ? '(not given)' : `${shownValue(row.value, sentenceValue)} (default)`
    })
    .join('')
}

/** Spaces at the ends of a part join it to the values beside it. */
function shownPart(part: string): string {
  const [, before = '', words = '', after = ''] = /^( ?)(.*?)( ?)$/s.exec(part) ?? []
  return `${before}${shownText(words, Number.POSITIVE_INFINITY)}${after}`
}

/** For tools that say nothing themselves. */
export function plainConsequence(contract: Contract, rows: readonly PacketArgument[]): string {
  const { identity, affordance, transactional } = contract
  const description = shownText(affordance.model_description.trim(), Number.POSITIVE_INFINITY)
  const told = description === '' ? '' : ` ${/[.!?]$/.test(description) ? description : `${description}.`}`
  const values = rows.slice(0, 12).map(({ pointer, value, origin }) => {
    const shown = `${shownText(fieldPath(pointer), 120)} ${shownValue(value, sentenceValue)}`
    return origin === 'default' ? `${shown} (default)` : shown
  })
  const rest = rows.length > values.length ? ` and ${rows.length - values.length} more` : ''
  const given = rows.length === 0 ? ' It takes no arguments.' : ` With ${values.join(', ')}${rest}.`
  return `Runs ${shownText(identity.name, 120)}.${told} ${classWords[transactional.side_effect_class]}${given}`
}
