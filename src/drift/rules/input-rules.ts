// Rules about arguments. Old calls must stay right: what the new schema no longer takes is breaking. What it takes beyond the old one is
// a wider contract for callers, and for whoever approved the old one a door that was not there.
import { fieldPath } from '../../json/pointer.ts'
import type { Cause, CauseKind } from './differences.ts'
import { formatSpots, noteSpots } from './note-spots.ts'
import type { SchemaPair, Spot, ToolPair, ToolRule } from './rule.ts'
import { told } from './told.ts'

const lostCauses = ({ input }: ToolPair, kind: CauseKind): readonly Cause[] =>
  input.lost.verdict === 'some' && !input.lost.undeclared
    ? input.lost.causes.filter((cause) => cause.kind === kind)
    : []

const gainedCauses = ({ input }: ToolPair): readonly Cause[] =>
  input.gained.verdict === 'some' ? input.gained.causes : []

const refused = ({ place, reason, witness }: Cause, what: string): Spot => ({
  pointer: `/input${place}`,
  message: `${what} ${reason}`,
  witness,
})

export const inputRules: readonly ToolRule[] = [
  {
    id: 'required-argument-added',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'input',
    step: 'major',
    breaks: 'required fields',
    title: 'An argument is required that was not.',
    why: 'Calls that were right are refused for want of it.',
    find: (pair) =>
      lostCauses(pair, 'required').map((cause) => refused(cause, `${fieldPath(cause.place)} is required now.`)),
  },
  {
    id: 'argument-removed',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'input',
    step: 'major',
    breaks: 'argument names or types',
    title: 'An argument is no longer taken, or goes by another name.',
    why: 'Calls that give it are refused.',
    find: (pair) =>
      lostCauses(pair, 'name').map((cause) => {
        const [renamed, ...others] = pair.input.added
        const hint = renamed === undefined || others.length > 0 ? '' : ` New is ${fieldPath(renamed)}.`
        return refused(cause, `${fieldPath(cause.place)} is no longer an argument.${hint}`)
      }),
  },
  {
    id: 'argument-type-changed',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'input',
    step: 'major',
    breaks: 'argument names or types',
    title: 'An argument must be of another type.',
    why: 'Calls that give what they always gave are refused.',
    find: (pair) =>
      lostCauses(pair, 'type').map((cause) => refused(cause, `${fieldPath(cause.place)} takes other types now.`)),
  },
  {
    id: 'argument-value-removed',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'input',
    step: 'major',
    breaks: 'enum values',
    title: 'A value that an argument could have is no longer among its values.',
    why: 'Calls that choose it are refused.',
    find: (pair) =>
      lostCauses(pair, 'value').map((cause) => refused(cause, `${fieldPath(cause.place)} lost one of its values.`)),
  },
  {
    id: 'argument-narrowed',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'input',
    step: 'major',
    breaks: 'argument names or types',
    title: 'An argument is held to a bound, a pattern, a length or a combination that is new.',
    why: 'Values that were right are refused.',
    find: (pair) =>
      lostCauses(pair, 'constraint').map((cause) =>
        refused(cause, `${fieldPath(cause.place)} takes fewer values now.`),
      ),
  },
  {
    id: 'undeclared-argument-refused',
    over: 'tool',
    level: { pin: 'breaking', version: 'dangerous' },
    direction: 'input',
    step: 'minor',
    title: 'Calls with an argument that was never declared are refused, all others are still right.',
    why: 'An open schema let callers send keys that nobody described; who does so is refused now.',
    find: ({ input: { lost } }) =>
      lost.verdict === 'some' && lost.undeclared
        ? lost.causes.map((cause) => refused(cause, `${fieldPath(cause.place)} was free, because undeclared.`))
        : [],
  },
  {
    id: 'input-undecided',
    over: 'tool',
    level: { pin: 'unknown', version: 'unknown' },
    direction: 'input',
    step: 'major',
    title: 'Nobody can tell whether the calls that were right are still right.',
    why: 'What cannot be proven compatible counts as breaking.',
    find: ({ input }) => undecided(input, 'input'),
  },
  {
    id: 'default-changed',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'contract',
    step: 'major',
    breaks: 'default behaviour',
    title: 'An argument that is left out stands for something else.',
    why: 'The same call does something else without anybody having changed it.',
    find: (pair) =>
      noteSpots(pair, {
        part: 'input',
        wants: (keyword) => keyword === 'default',
        tell: ({ place, before, after }) =>
          `Left out, ${fieldPath(place)} stood for ${told(before)} and stands for ${told(after)} now.`,
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
      const refusedPlaces = new Set(lostCauses(pair, 'name').map(({ place }) => place))
      return pair.input.removed
        .filter((place) => !refusedPlaces.has(place))
        .map((place) => ({ pointer: `/input${place}`, message: `${fieldPath(place)} is no longer declared.` }))
    },
  },
  {
    id: 'argument-added',
    over: 'tool',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'input',
    step: 'minor',
    title: 'An argument is new.',
    why: 'A new argument is a new way for data to leave: a model fills in whatever its description asks for.',
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
    over: 'tool',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'input',
    step: 'minor',
    title: 'An argument may have a value that it could not have.',
    why: 'Callers lose nothing; who approved the tool approved less.',
    find: (pair) =>
      gainedCauses(pair)
        .filter(({ kind }) => kind === 'value')
        .map((cause) => wider(cause, `${fieldPath(cause.place)} has a value more.`)),
  },
  {
    id: 'input-widened',
    over: 'tool',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'input',
    step: 'minor',
    title: 'Calls are right that were not.',
    why: 'Callers lose nothing; who approved the tool approved less.',
    find: (pair) => {
      const own = new Set(pair.input.added)
      return gainedCauses(pair)
        .filter(({ kind, place }) => kind !== 'value' && !(kind === 'name' && own.has(place)))
        .map((cause) => wider(cause, `More is taken at ${fieldPath(cause.place)}.`))
    },
  },
  {
    id: 'input-rewritten',
    over: 'tool',
    level: { pin: 'info', version: 'info' },
    direction: 'input',
    step: 'patch',
    title: 'The schema of the arguments is written differently and takes the same calls.',
    why: 'Proven in both directions: nothing has changed for anybody.',
    find: ({ input }) => rewritten(input, 'input'),
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

const wider = ({ place, witness }: Cause, message: string): Spot => ({ pointer: `/input${place}`, message, witness })

/** The directions that nobody could decide, for either schema. */
export function undecided({ lost, gained }: SchemaPair, part: 'input' | 'output'): readonly Spot[] {
  const gap = lost.verdict === 'unsupported' ? lost : gained
  if (gap.verdict !== 'unsupported') return []
  return [{ pointer: `/${part}${gap.pointer}`, message: `${gap.construct}: ${gap.reason}` }]
}

export function rewritten(pair: SchemaPair, part: 'input' | 'output'): readonly Spot[] {
  if (!pair.changed || pair.lost.verdict !== 'none' || pair.gained.verdict !== 'none') return []
  const isSilent = pair.complete && pair.notes.length + pair.added.length + pair.removed.length === 0
  return isSilent ? [{ pointer: `/${part}`, message: 'Both schemas take the same values.' }] : []
}
