// Rules about arguments. Calls that were right must stay right: what the new schema no longer takes is breaking. What it takes beyond the
// old one is only wider for callers; for a person who approved the old one, it is a new way to do harm.
import { fieldPath } from '../../json/pointer.ts'
import type { ToolPair, ToolRule } from './rule.ts'
import type { Cause, CauseKind } from './schema-difference.ts'
import { causeSpot, fieldSpots, formatSpots, notePhrase, noteSpots, rewrittenSpots, undecidedSpots } from './spots.ts'

const lostCauses = ({ input }: ToolPair, kind: CauseKind): readonly Cause[] =>
  input.lost.verdict === 'some' && !input.lost.undeclared
    ? input.lost.causes.filter((cause) => cause.kind === kind)
    : []

const lostSpots = (kind: CauseKind, end: string) => (pair: ToolPair) =>
  lostCauses(pair, kind).map((cause) => causeSpot('input', cause, `${fieldPath(cause.place)} ${end}`))

const gainedCauses = ({ input }: ToolPair): readonly Cause[] =>
  input.gained.verdict === 'some' ? input.gained.causes : []

const widerSpot = ({ place, witness }: Cause, message: string) => ({ pointer: `/input${place}`, message, witness })

const breaking = {
  over: 'tool',
  level: { pin: 'breaking', version: 'breaking' },
  direction: 'input',
  step: 'major',
} as const

const wider = {
  over: 'tool',
  level: { pin: 'dangerous', version: 'compatible' },
  direction: 'input',
  step: 'minor',
} as const

export const inputRules: readonly ToolRule[] = [
  {
    id: 'required-argument-added',
    ...breaking,
    breaks: 'required fields',
    title: 'An argument is required that was not.',
    why: 'Calls that were right are refused because it is missing.',
    find: lostSpots('required', 'is required now.'),
  },
  {
    id: 'argument-removed',
    ...breaking,
    breaks: 'argument names or types',
    title: 'An argument is no longer taken, or has another name.',
    why: 'Calls that give it are refused.',
    find: (pair) =>
      lostCauses(pair, 'name').map((cause) => {
        const [renamed, ...others] = pair.input.added
        const hint = renamed === undefined || others.length > 0 ? '' : ` New is ${fieldPath(renamed)}.`
        return causeSpot('input', cause, `${fieldPath(cause.place)} is no longer an argument.${hint}`)
      }),
  },
  {
    id: 'argument-type-changed',
    ...breaking,
    breaks: 'argument names or types',
    title: 'An argument must be of another type.',
    why: 'Calls that give what they always gave are refused.',
    find: lostSpots('type', 'takes other types now.'),
  },
  {
    id: 'argument-value-removed',
    ...breaking,
    breaks: 'enum values',
    title: 'A value that an argument could have is no longer among its values.',
    why: 'Calls that choose it are refused.',
    find: lostSpots('value', 'lost one of its values.'),
  },
  {
    id: 'argument-narrowed',
    ...breaking,
    breaks: 'argument names or types',
    title: 'A new bound, pattern, length or combination limits an argument.',
    why: 'Values that were right are refused.',
    find: lostSpots('constraint', 'takes fewer values now.'),
  },
  {
    id: 'undeclared-argument-refused',
    over: 'tool',
    level: { pin: 'breaking', version: 'dangerous' },
    direction: 'input',
    step: 'minor',
    title: 'Calls with an argument that was never declared are refused, all others are still right.',
    why: 'An open schema let callers send keys that it does not describe; callers that do so are refused now.',
    find: ({ input: { lost } }) =>
      lost.verdict === 'some' && lost.undeclared
        ? lost.causes.map((cause) =>
            causeSpot('input', cause, `${fieldPath(cause.place)} was free, because undeclared.`),
          )
        : [],
  },
  {
    id: 'input-undecided',
    over: 'tool',
    level: { pin: 'unknown', version: 'unknown' },
    direction: 'input',
    step: 'major',
    title: 'The prover cannot decide whether the calls that were right are still right.',
    why: 'What cannot be proven compatible counts as breaking.',
    find: ({ input }) => undecidedSpots(input, 'input'),
  },
  {
    id: 'default-changed',
    ...breaking,
    direction: 'contract',
    breaks: 'default behaviour',
    title: 'An argument that is left out stands for something else.',
    why: 'The same call does something else, although its caller changed nothing.',
    find: (pair) =>
      noteSpots(pair, {
        part: 'input',
        wants: (keyword) => keyword === 'default',
        tell: ({ place, before, after }) =>
          `Left out, ${fieldPath(place)} stood for ${notePhrase(before)} and stands for ${notePhrase(after)} now.`,
      }),
  },
  {
    id: 'argument-no-longer-declared',
    over: 'tool',
    level: { pin: 'dangerous', version: 'breaking' },
    direction: 'input',
    step: 'major',
    breaks: 'argument names or types',
    title: 'An argument is no longer declared, and still taken because the schema is open.',
    why: 'Calls that give it pass, and what they ask for is silently ignored.',
    find: (pair) => {
      const refused = new Set(lostCauses(pair, 'name').map(({ place }) => place))
      const places = pair.input.removed.filter((place) => !refused.has(place))
      return fieldSpots('input', places, 'is no longer declared.')
    },
  },
  {
    id: 'argument-added',
    ...wider,
    title: 'An argument is new.',
    why: 'A new argument is a new way for data to leave: a model fills in all that its description asks for.',
    find: (pair) =>
      pair.input.added.map((place) => {
        const shown = gainedCauses(pair).find((cause) => cause.kind === 'name' && cause.place === place)
        return {
          pointer: `/input${place}`,
          message: `${fieldPath(place)} is new.`,
          ...(shown === undefined ? {} : { witness: shown.witness }),
        }
      }),
  },
  {
    id: 'argument-value-added',
    ...wider,
    title: 'An argument may have a value that it could not have.',
    why: 'Callers lose nothing; the person who approved the tool approved less.',
    find: (pair) =>
      gainedCauses(pair)
        .filter(({ kind }) => kind === 'value')
        .map((cause) => widerSpot(cause, `${fieldPath(cause.place)} has a value more.`)),
  },
  {
    id: 'input-widened',
    ...wider,
    title: 'Calls are right that were not.',
    why: 'Callers lose nothing; the person who approved the tool approved less.',
    find: (pair) => {
      const own = new Set(pair.input.added)
      return gainedCauses(pair)
        .filter(({ kind, place }) => kind !== 'value' && !(kind === 'name' && own.has(place)))
        .map((cause) => widerSpot(cause, `More is taken at ${fieldPath(cause.place)}.`))
    },
  },
  {
    id: 'input-rewritten',
    over: 'tool',
    level: { pin: 'info', version: 'info' },
    direction: 'input',
    step: 'patch',
    title: 'The schema of the arguments is written differently and takes the same calls.',
    why: 'Proven in both directions: nothing has changed for any caller.',
    find: ({ input }) => rewrittenSpots(input, 'input'),
  },
  {
    id: 'argument-format-changed',
    over: 'tool',
    level: { pin: 'dangerous', version: 'dangerous' },
    direction: 'input',
    step: 'minor',
    title: 'The format of an argument has changed.',
    why: 'Whether a format refuses values is up to the server: calls that were right may be refused.',
    find: (pair) => formatSpots(pair, 'input'),
  },
]
