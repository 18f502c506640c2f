// What the words of a tool say: a name as its words, and the effect that name and description claim. Only verbs in the place of a verb count,
// and only where they are not denied: "does not send", "lists refunds" and "changes nothing" claim no effect.
import { type EffectClass, effectRow } from '../../contract/effects.ts'

/** In any case: `apiKey`, `api_key` and `API-Key` are api and key. */
export function nameWords(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The name without its version: `charge_card_v2` is charge_card. */
export const withoutVersion = (name: string): string => name.replace(/[_.-]v[0-9]+$/i, '')

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '))

interface ClaimedEffect {
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
  /^(?:execute only to |use (?:this )?(?:tool )?(?:only )?to |(?:this )?tool (?:that )?)?(\p{L}+)|\b(?:to|will|then) (\p{L}+)/giu

/** The strongest effect that name or description claims. */
export function claimedEffect(name: string, description: string): ClaimedEffect | undefined {
  const claims: ClaimedEffect[] = []
  const consider = (word: string | undefined) => {
    const verb = word === undefined ? undefined : baseForm(word.toLowerCase())
    const least = verb === undefined ? undefined : verbs.get(verb)
    if (verb !== undefined && least !== undefined) claims.push({ verb, least })
  }
  consider(nameWords(name)[0])
  for (const sentence of description.split(/[.;:!?\n]+/)) {
    if (denial.test(sentence)) continue
    for (const match of sentence.trim().matchAll(verbPlace)) consider(match[1] ?? match[2])
  }
  return claims.reduce<ClaimedEffect | undefined>(
    (strongest, claim) => (strongest === undefined || order(claim) > order(strongest) ? claim : strongest),
    undefined,
  )
}

const order = ({ least }: ClaimedEffect) => effectRow(least).rank

/** A verb in a description stands as it is or ends in -s; other forms, such as "sent", are not looked for. */
function baseForm(word: string): string {
  if (verbs.has(word)) return word
  const trimmed = word.replace(/(?:es|s)$/, '')
  return verbs.has(trimmed) ? trimmed : verbs.has(`${trimmed}e`) ? `${trimmed}e` : word
}
