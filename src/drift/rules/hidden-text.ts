// Characters that a person does not see and a model reads: the usual hiding place of instructions in a description.

interface HiddenRow {
  readonly name: string
  readonly pattern: RegExp
}

const rows: readonly HiddenRow[] = [
  { name: 'tag characters, which spell ASCII invisibly', pattern: /[\u{e0000}-\u{e007f}]/u },
  { name: 'marks that reorder text', pattern: /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u },
  {
    name: 'spaces and joiners without width',
    pattern: /\u034f|[\u00ad\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff]/u,
  },
  { name: 'variation selectors', pattern: /[\ufe00-\ufe0e\u{e0100}-\u{e01ef}]/u },
  { name: 'blank letters', pattern: /[\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800]/u },
  { name: 'private or unassigned characters', pattern: /[\p{Co}\p{Cn}]/u },
  { name: 'control characters', pattern: /(?![\t\n\r])\p{Cc}/u },
]

/** The joiner within an emoji and the selector after one are how emoji are written. */
const emoji = /\p{Extended_Pictographic}(?:\ufe0f|\u200d\p{Extended_Pictographic}|\p{Emoji_Modifier})+/gu

/** Scripts that are written with joiners. */
const joined =
  /(?<=[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}])[\u200c\u200d]/gu

/** The kinds of hidden characters in a text, in words. */
export function hiddenIn(text: string): readonly string[] {
  const plain = text.replace(emoji, '').replace(joined, '')
  return rows.flatMap(({ name, pattern }) => (pattern.test(plain) ? [name] : []))
}
