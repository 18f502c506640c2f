// Rules about results. Code that reads results must keep understanding them: a result that the old schema would have refused is breaking.
import { fieldPath } from '../../json/pointer.ts'
import type { ToolPair, ToolRule } from './rule.ts'
import type { CauseKind } from './schema-difference.ts'
import { causeSpot, fieldSpots, formatSpots, rewrittenSpots, undecidedSpots } from './spots.ts'

const isDeclared = ({ before, after }: ToolPair): boolean => before.output !== undefined && after.output !== undefined

const gainedSpots = (kind: CauseKind, end: string) => (pair: ToolPair) => {
  const { gained } = pair.output
  if (!isDeclared(pair) || gained.verdict !== 'some' || gained.undeclared) return []
  const causes = gained.causes.filter((cause) => cause.kind === kind)
  return causes.map((cause) => causeSpot('output', cause, `${fieldPath(cause.place)} ${end}`))
}

const breaking = {
  over: 'tool',
  level: { pin: 'breaking', version: 'breaking' },
  direction: 'output',
  step: 'major',
  breaks: 'output schema',
} as const

const compatible = {
  over: 'tool',
  level: { pin: 'compatible', version: 'compatible' },
  direction: 'output',
  step: 'minor',
} as const

export const outputRules: readonly ToolRule[] = [
  {
    id: 'result-field-optional',
    ...breaking,
    title: 'A field that every result had may be absent.',
    why: 'Code that reads it without a check finds nothing.',
    find: gainedSpots('required', 'may be absent.'),
  },
  {
    id: 'result-type-changed',
    ...breaking,
    title: 'A field of the result may be of another type.',
    why: 'Code that reads it gets a value that it was not made for.',
    find: gainedSpots('type', 'may be of another type.'),
  },
  {
    id: 'result-value-added',
    ...breaking,
    title: 'A field of the result may have a value that it could not have.',
    why: 'Code with a branch for each listed value meets one that was never listed.',
    find: gainedSpots('value', 'has a value more.'),
  },
  {
    id: 'result-field-added',
    ...breaking,
    title: 'A result may have a field that the old schema forbids.',
    why: 'The old schema is closed: code that checks results by it refuses them.',
    find: gainedSpots('name', 'was not allowed.'),
  },
  {
    id: 'result-widened',
    ...breaking,
    title: 'A result may break a bound, a pattern, a length or a combination that it kept.',
    why: 'Code that relied on it meets values that could not be.',
    find: gainedSpots('constraint', 'is less narrow.'),
  },
  {
    id: 'undeclared-result-field-free',
    over: 'tool',
    level: { pin: 'breaking', version: 'dangerous' },
    direction: 'output',
    step: 'minor',
    title: 'A field of the result is no longer described; results that keep to what is described are still right.',
    why: 'The new schema is open: such a field could come back as anything.',
    find: (pair) => {
      const { gained } = pair.output
      return isDeclared(pair) && gained.verdict === 'some' && gained.undeclared
        ? gained.causes.map((cause) => causeSpot('output', cause, `${fieldPath(cause.place)} is no longer described.`))
        : []
    },
  },
  {
    id: 'output-schema-removed',
    ...breaking,
    title: 'Nothing is said about the result any more.',
    why: 'Anything may come back.',
    find: ({ before, after, output: { gained } }) => {
      if (before.output === undefined || after.output !== undefined || gained.verdict !== 'some') return []
      const message = 'The tool had a schema for its result, and has none now.'
      return gained.causes.slice(0, 1).map(({ witness }) => ({ pointer: '/output', message, witness }))
    },
  },
  {
    id: 'output-undecided',
    over: 'tool',
    level: { pin: 'unknown', version: 'unknown' },
    direction: 'output',
    step: 'major',
    title: 'The prover cannot decide whether results are still what they were said to be.',
    why: 'What cannot be proven compatible counts as breaking.',
    find: ({ output }) => undecidedSpots(output, 'output'),
  },
  {
    id: 'result-field-removed',
    over: 'tool',
    level: { pin: 'dangerous', version: 'dangerous' },
    direction: 'output',
    step: 'minor',
    title: 'A field of the result is no longer described.',
    why: 'It was never promised where it was optional, and code may still read it.',
    find: (pair) => (isDeclared(pair) ? fieldSpots('output', pair.output.removed, 'is no longer described.') : []),
  },
  {
    id: 'result-field-described',
    over: 'tool',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'output',
    step: 'minor',
    title: 'A field of the result is new.',
    why: 'More comes back than was looked at when the tool was approved.',
    find: (pair) => (isDeclared(pair) ? fieldSpots('output', pair.output.added, 'is new.') : []),
  },
  {
    id: 'output-schema-added',
    ...compatible,
    title: 'The result has a schema now.',
    why: 'Every result is still one that was allowed.',
    find: ({ before, after }) =>
      before.output === undefined && after.output !== undefined
        ? [{ pointer: '/output', message: 'The tool had no schema for its result, and has one now.' }]
        : [],
  },
  {
    id: 'output-narrowed',
    ...compatible,
    title: 'Some results no longer come back.',
    why: 'Every result is still one that was allowed.',
    find: (pair) => {
      const { lost } = pair.output
      if (!isDeclared(pair) || lost.verdict !== 'some') return []
      return lost.causes.map(({ place, witness }) => ({
        pointer: `/output${place}`,
        message: `Less comes back at ${fieldPath(place)}.`,
        witness,
      }))
    },
  },
  {
    id: 'output-rewritten',
    over: 'tool',
    level: { pin: 'info', version: 'info' },
    direction: 'output',
    step: 'patch',
    title: 'The schema of the result is written differently and allows the same results.',
    why: 'Proven in both directions: nothing has changed for any caller.',
    find: (pair) => (isDeclared(pair) ? rewrittenSpots(pair.output, 'output') : []),
  },
  {
    id: 'result-format-changed',
    over: 'tool',
    level: { pin: 'dangerous', version: 'dangerous' },
    direction: 'output',
    step: 'minor',
    title: 'The format of a field of the result has changed.',
    why: 'Code that reads it by its format may find another.',
    find: (pair) => formatSpots(pair, 'output'),
  },
]
