// A name as its words, whatever its case: `apiKey`, `api_key` and `API-Key` are api and key.

export function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The name without its version: `charge_card_v2` is charge_card. */
export const withoutVersion = (name: string): string => name.replace(/[_.-]v[0-9]+$/i, '')
