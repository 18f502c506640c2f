// What content looks like that speaks to a model instead of telling it something. One row per rule; a rule begins at one of its words, on
// folded lower-case text, and looks a bounded distance ahead. Invariant: a try takes steps in proportion to that distance. No pattern has
// two open stretches behind one another, because each end of the first would be tried with each end of the second; what comes after an
// open stretch stands in `followed`.

import type { Stretch } from './stretches.ts'

export interface InjectionRule {
  readonly id: string
  /** Why text like this is suspicious, in one line. */
  readonly reason: string
  /** The words at which the pattern is tried: lower-case letters only. */
  readonly words: readonly string[]
  /** What has to hold there first; tried once for all rules that share it. */
  readonly after?: InjectionOpening
  /** Sticky: it matches where the word begins, or nowhere. */
  readonly pattern: RegExp
  /** What has to follow behind it: one of these, stretch by stretch. */
  readonly followed?: readonly (readonly Stretch[])[]
}

const at = (source: string) => new RegExp(source, 'y')
const anywhere = (source: string) => new RegExp(source, 'g')
const list = (text: string) => text.split(' ')
const anyOf = (words: readonly string[]) => `(?:${words.join('|')})\\b`

/** Up to so many characters of the same sentence; a full stop inside an address does not end one. */
const within = (most: number) => `(?:[^.!?\\n]|[.!?](?=\\S)){0,${most}}?`
const model = `(?:ai|llms?|ai (?:assistant|agent|model)s?|(?:large )?language models?|chat ?bots?|virtual assistants?|gpt|chatgpt|claude|copilot|gemini)\\b`
/** A request, or a command: both begin with a word that most texts hold. */
export type InjectionOpening = 'request' | 'command' | 'either'

const askers = list('please kindly pls can could would will i you todo make')
const ask = `(?:please|kindly|pls|(?:can|could|would|will) you|i (?:need|want|would like) you to|you (?:must|should|need to|have to)|make sure (?:to|you)|todo:?)[\\s,]{1,8}(?:(?:also|then|now|immediately|first|please|just|help me|go ahead and|proceed to)\\s{1,8}){0,2}`

const fetching = list(
  'retrieve retrive fetch get find search download access check list collect gather extract read export provide show obtain locate pull dump save use',
)
const sending = list('send email mail forward share upload deliver transmit post submit leak exfiltrate')
const paying = list('transfer send wire pay deposit withdraw sell buy purchase invest donate initiate make')
const removing = list('delete remove erase wipe disable deactivate revoke reset unlock uninstall cancel')
const changing = list(
  'enable activate grant give change update modify edit set replace add create lock open close leave join invite schedule book reserve order redirect reroute dispatch guide turn start stop publish approve sign install run execute generate move fill',
)
const acting = [...new Set([...fetching, ...sending, ...paying, ...removing, ...changing])]

/** How a request or a command begins that is one for a model's tools; a command only counts where a sentence begins. */
export const openings = {
  request: at(`${ask}${anyOf(acting)}`),
  command: at(`${anyOf(acting)} `),
} as const

/** An address of mail is found by its sign; what stands before that is looked at there. */
const address = anywhere('(?<=[\\w.+\\-])@[\\w\\-]{1,64}\\.[a-z]{2}|https?:\\/\\/|www\\.[\\w\\-]{2}')
const money = anywhere(
  '[$€£¥]\\s?\\d|\\b\\d[\\d,.]{0,12}\\s?(?:usd|eur|gbp|dollars?|euros?|pounds?|btc|eth|bitcoins?|units?|shares?)\\b',
)
const account = anywhere('\\b[a-z]{2}\\d{2}[a-z0-9]{10}')
const guarded = `\\b(?:(?:permanent|full|admin\\w{0,12}|guest|remote|unrestricted|root|edit\\w{0,8}) (?:\\w{1,16} )?access|two-factor|2fa|mfa|authentication|passwords?|passcodes?|sharing settings?|privileges?|white-?list|allow-?list|security (?:polic\\w{1,3}|settings?|codes?)|firewall|antivirus|credentials?|api keys?|private keys?)\\b`
const record = `\\bid[:s]?\\s?(?:is\\s)?[('"]{0,2}[\\w\\-]{0,16}\\d|\\(id\\b`
/** Words between two others; a longer one is none. */
const words = (most: number) => `(?:[\\w\\-']{1,40} ){0,${most}}?`

export const injectionRules: readonly InjectionRule[] = [
  {
    id: 'override_instructions',
    reason: 'It tells its reader to give up what it was told before.',
    words: list('ignore ignoring disregard disregarding forget override overriding overrule bypass neglect'),
    pattern: at('\\w{1,40} '),
    followed: [
      [
        {
          most: 50,
          inside: 'clause',
          find: anywhere(
            '\\b(?:previous|prior|preceding|above|earlier|former|foregoing|past|existing|initial|original|current|all|any|your|these|those|system|other|everything)\\b',
          ),
        },
        {
          most: 40,
          inside: 'clause',
          find: anywhere(
            '\\b(?:\\w{0,4}nstructions?|prompts?|rules|guidelines|directions|directives?|commands?|orders|tasks?|constraints|programming|restrictions|safeguards|above|before|you were told)\\b',
          ),
        },
      ],
    ],
  },
  {
    id: 'override_instructions_translated',
    reason: 'It tells its reader to give up what it was told before, in another language.',
    words: list('ignoriere ignorieren vergiss missachte ignora ignorar ignore olvida ignorez oubliez ignoruj negeer'),
    pattern: at(
      `\\w{1,40} [^.!?\\n]{0,60}?(?:anweisung|instruktion|befehle|instruccion|(?:instructions?|consignes) (?:pr[eé]c[eé]dent|ant[eé]rieur)|istruzioni|instru[cç][oõ]es|instrukcj|instructies)`,
    ),
  },
  {
    id: 'new_instructions',
    reason: 'It gives instructions and demands that they be followed.',
    words: list('adhere obey comply follow execute perform your new'),
    pattern: at(
      `(?:(?:adhere to|obey|comply with) (?:\\w{1,40} ){0,3}?(?:following|new|below|these|this|my) (?:\\w{1,40} )?(?:instruction|directive|command|order)|(?:follow|execute|perform) (?:only |strictly |exactly )?(?:the|this|these|my) (?:new|following) (?:instruction|directive|command)|(?:follow|execute|obey) only |your (?:new|real|actual|true|updated|only) (?:task|instruction|goal|objective|mission|directive)s?(?: is| are|:)|new (?:system )?(?:instructions?|directives?):)`,
    ),
  },
  {
    id: 'speaks_to_model',
    reason: 'It addresses a model, or tells its reader what it is.',
    words: list('dear hey hello hi attention note message instruction instructions to you as ai language'),
    pattern: at(
      `(?:(?:dear|hey|hello|hi|attention|attention to)[,:]? (?:the |any |all )?${model}[,:!.]|(?:note|message|instructions?) (?:to|for) (?:the |any |all )?${model}|to you, (?:the |an? )?${model}|you are (?:now |currently |actually )?(?:an? |the )?(?:\\w{1,40} ){0,2}(?:${model}|(?:ai|helpful|autonomous|virtual|digital|unrestricted|personal) (?:assistant|agent)|jailbroken|unfiltered)|you are (?:now |currently )?(?:running|executing|operating) (?:in|under|within|as)\\b|as (?:an? |the )?${model},? (?:you|your|i)\\b|(?:ai|language) (?:models?|assistants?|agents?) (?:must|should|shall|has to|have to|needs? to|reading this|processing this))`,
    ),
  },
  {
    id: 'hijacks_task',
    reason: 'It puts another task in the place of the one that was given, or keeps it from the person.',
    words: list('before after task without do never instead'),
    pattern: at(
      `(?:before you (?:can |may |do )?(?:solve|answer|respond|reply|complete|continue|finish|proceed)[^.!?\\n]{0,60}?\\b(?:task|question|request|query|conversation)\\b|after (?:you do|doing|completing) (?:that|this), you (?:can|may) (?:solve|answer|continue|proceed|complete)|task that i gave you|without (?:first )?(?:asking|informing|notifying|telling|alerting|consulting) (?:(?:the |your )?(?:user|human|operator|owner)|me)\\b|(?:do not|never) (?:tell|inform|mention|reveal|notify|alert|disclose|ask|show)\\b[^.!?\\n]{0,30}?\\b(?:the|your) (?:user|human|operator|owner)\\b|instead of (?:the|your) (?:original |user's |given |current )?(?:task|instructions?|request))`,
    ),
  },
  {
    id: 'asks_for_prompt',
    reason: 'It asks for the instructions or the secrets of its reader.',
    words: list('reveal print repeat output show leak disclose display tell send give share'),
    pattern: at(
      `\\w{1,40} (?:me |us |back )?(?:(?:your|the) )(?:\\w{1,40} ){0,2}?(?:system (?:prompt|message|instructions?)|initial (?:instructions?|prompt)|hidden (?:instructions?|prompt)|instructions (?:verbatim|you were given)|conversation history|chat history)`,
    ),
  },
  {
    id: 'request_in_users_voice',
    reason: 'It asks for something in the name of the person whom the model works for.',
    words: askers,
    after: 'request',
    pattern: at(`${ask}${anyOf(acting)}${within(100)}\\bmy\\b`),
  },
  {
    id: 'command_in_users_voice',
    reason: 'It commands something in the name of the person whom the model works for.',
    words: acting,
    after: 'command',
    pattern: at(`${anyOf(acting)} ${words(5)}my \\w`),
  },
  {
    id: 'fetch_and_send',
    reason: 'It wants data fetched and sent to an address.',
    words: [...askers, ...fetching],
    after: 'either',
    pattern: at(`(?:${ask})?${anyOf(fetching)}`),
    followed: [
      [
        { most: 200, inside: 'line', find: anywhere(`\\b${anyOf(sending)}`) },
        { most: 120, inside: 'sentence', find: anywhere('\\b(?:to|at|with)\\b') },
        { most: 60, inside: 'sentence', find: address },
      ],
    ],
  },
  {
    id: 'send_to_address',
    reason: 'It asks for something to be sent to an address.',
    words: askers,
    after: 'request',
    pattern: at(`${ask}${anyOf(sending)}`),
    followed: [
      [
        { most: 100, inside: 'sentence', find: anywhere('\\b(?:to|at)\\b') },
        { most: 40, inside: 'sentence', find: address },
      ],
    ],
  },
  {
    id: 'move_money',
    reason: 'It asks for money to be moved.',
    words: askers,
    after: 'request',
    pattern: at(`${ask}${anyOf(paying)}`),
    followed: [
      [
        { most: 60, inside: 'sentence', find: money },
        { most: 80, inside: 'sentence', find: anywhere('\\b(?:to|from|for|on)\\b') },
      ],
      [
        { most: 60, inside: 'sentence', find: anywhere('\\bto ') },
        { most: 30, inside: 'sentence', find: account },
      ],
    ],
  },
  {
    id: 'change_access',
    reason: 'It asks for access, passwords or protection to be changed.',
    words: [...askers, ...removing, ...list('grant turn')],
    after: 'either',
    pattern: at(
      `(?:(?:${ask})${anyOf([...removing, ...changing])}${within(80)}${guarded}|(?:grant|disable|deactivate|reset|revoke|turn off) ${words(4)}${guarded})`,
    ),
  },
  {
    id: 'act_on_record',
    reason: 'It asks for one record to be changed or removed.',
    words: [...askers, ...removing],
    after: 'either',
    pattern: at(
      `(?:(?:${ask})${anyOf([...removing, ...changing])}${within(100)}(?:${record})|${anyOf(removing)} ${words(6)}(?:${record}))`,
    ),
  },
  {
    id: 'use_tool',
    reason: 'It names a tool and wants it to be used.',
    words: [...askers, 'use', 'run', 'execute'],
    after: 'either',
    pattern: at(`(?:${ask})?(?:use|run|execute)\\b`),
    followed: [
      [
        { most: 50, inside: 'sentence', find: anywhere('\\b(?:tool|function)\\b') },
        { most: 40, inside: 'sentence', find: anywhere('\\b(?:to|with|and)\\b') },
      ],
    ],
  },
]

/** Marks of the formats in which models are given their roles, and what has no words to begin at. */
export const roleMarks: Omit<InjectionRule, 'words' | 'followed'> = {
  id: 'role_markup',
  reason: 'It imitates the marks by which a model tells its instructions from data.',
  pattern:
    /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>|\[\/?inst\]|<<\/?sys>>|<start_of_turn>|<\/?(?:system|important|information|instructions?|system-reminder|system_prompt)>|##\s?\(?(?:system|assistant|human)(?:[ _](?:message|prompt|override|instructions?))?\)?\s?[:)]|[[(]system[ _-](?:message|prompt|override|instructions?|notice|command)[\])]|\bsystem[ _-](?:prompt|override|instructions?)\s?:|\n\n(?:human|assistant):|(?:игнорируй|забудь)[^.!?\n]{0,60}(?:инструкци|указани)|忽略(?:之前|以上|上述|所有|先前|前面)[^。\n]{0,12}(?:指令|指示|说明|提示|命令)|(?:以前|上記|これまで)の(?:指示|命令)[^。\n]{0,8}無視/u,
}

/** Not a pattern: text that was hidden in characters that cannot be seen. */
export const hiddenText = { id: 'hidden_text', reason: 'It carried text in characters that cannot be seen.' } as const

/** Not a pattern: so many words to look at that the scan was given up. */
export const unscanned = {
  id: 'scan_cut',
  reason: 'It holds more suspicious words than were looked at.',
} as const
