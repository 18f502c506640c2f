// Which effect a tool's own words claim. Only verbs in the place of a verb count, and only where they are not denied: "does not send",
// "lists refunds" and "changes nothing" claim no effect.
import { type EffectClass, effectRow } from '../../contract/effects.ts'
import { wordsOf } from './name-words.ts'

export interface Claim {
  readonly verb: string
  /** The weakest class that such an effect may have. */
  readonly least: EffectClass
}

const verbs: ReadonlyMap<string, EffectClass> = new Map(
  (
    [
      ['charge pay refund transfer wire disburse', 'CRITICAL_MUTATION'],
      ['send email mail publish deploy broadcast post notify', 'HIGH_RISK_EXTERNAL'],
      ['delete destroy erase purge drop remove cancel void', 'LOW_RISK_INTERNAL'],
      ['create update insert write store save set assign close reset rename move add', 'EPHEMERAL_WRITE'],
    ] as const
  ).flatMap(([words, least]) => words.split(' ').map((verb): [string, EffectClass] => [verb, least])),
)

const denial = /\b(?:not|never|no|nothing|without|cannot|neither|nor)\b|n't\b/i
const verbPlace =
  /^(?:execute only to |use (?:this )?(?:tool )?(?:only )?to |(?:this )?tool (?:that )?)?(\p{L}+)\b|\b(?:to|will|then) (\p{L}+)\b/giu

/** The strongest effect that name or description claims. */
export function claimedEffect(name: string, description: string): Claim | undefined {
  const claims: Claim[] = []
  const consider = (word: string | undefined) => {
    const verb = word === undefined ? undefined : baseForm(word.toLowerCase())
    const least = verb === undefined ? undefined : verbs.get(verb)
    if (verb !== undefined && least !== undefined) claims.push({ verb, least })
  }
  consider(wordsOf(name)[0])
  for (const sentence of description.split(/[.;:!?\n]+/)) {
    if (denial.test(sentence)) continue
    for (const match of sentence.trim().matchAll(verbPlace)) consider(match[1] ?? match[2])
  }
  return claims.reduce<Claim | undefined>(
    (strongest, claim) => (strongest === undefined || order(claim) > order(strongest) ? claim : strongest),
    undefined,
  )
}

const order = ({ least }: Claim) => effectRow(least).rank

/** "sends" and "sent" apart, a verb in a description ends in -s or in nothing. */
function baseForm(word: string): string {
  if (verbs.has(word)) return word
  const trimmed = word.replace(/(?:es|s)$/, '')
  return verbs.has(trimmed) ? trimmed : verbs.has(`${trimmed}e`) ? `${trimmed}e` : word
}
