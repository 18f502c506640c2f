// Texts that are made to cost much: what rules, expressions and readers begin to look at and never find the end of.
import { injectionRules } from '../../src/execute/results/injection-rules.ts'

/** In one piece, as what comes from outside is. */
export function filled(part: string, bytes: number): string {
  const all = Buffer.alloc(Math.max(0, Math.floor(bytes)), part)
  return all.toString().toWellFormed()
}

const openings = ['', 'please ', 'could you also ', 'todo: ']
const between = [
  'all your any ',
  'send to send to ',
  'to a@b ',
  '1,1,1,1 usd to ',
  'id a-a-a ',
  'tool to tool ',
  'edit edit ',
  'my',
]

/** By rule of the scan for injections: its first words, with what its stretches look for in between. */
export const ruleTexts: readonly (readonly [name: string, part: string])[] = injectionRules.map(
  ({ id, words }): readonly [string, string] => [
    id,
    words
      .slice(0, 8)
      .map((word, at) => `${openings[at % openings.length]}${word} ${between[at]}`)
      .join(''),
  ],
)

/** What no rule is made for. */
export const oddTexts: readonly (readonly [name: string, part: string])[] = [
  ['words', 'lorem ipsum dolor '],
  ['marks of a heading', '#'],
  ['marks of a heading, in words', '## '],
  ['one letter of another script', 'а'],
  ['mixed letters', 'аb'],
  ['words of another script', 'дом там '],
  ['ideographs', '忽略之前'],
  ['blanks', ' '],
  ['line breaks', '\n'],
  ['zeros', '0'],
  ['quotes and backslashes', '"\\'],
  ['characters that cannot be seen', 'a\u200b'],
  ['joiners', 'a\u200d'],
  ['tags', '\u{e0041}'],
  ['beginnings of a sequence', '\u0090'],
  ['escapes', '\u001b['],
  ['titles of a terminal', '\u001b]'],
  ['pictures', '\u{1f468}\u200d'],
  ['ligatures that unfold', '\ufdfa'],
  ['marks on a letter', 'e\u0301\u0323\u0301'],
  ['base64', 'QUFB'],
  ['base64 between blanks', `${'QUFB'.repeat(100)} `],
  ['percent signs', '%2'],
  ['signs of mail', 'a@'],
  ['keys that are none', 'sk-a'],
  ['tokens that are none', 'eyJa.'],
  ['blocks that never end', '-----BEGIN A'],
  ['addresses with a password', '://a:'],
]
