// Rules about results. Whoever reads them must keep understanding them: a result that the old schema would have refused is breaking.
import { fieldPath } from '../../json/pointer.ts'
import type { Cause, CauseKind } from './differences.ts'
import { rewritten, undecided } from './input-rules.ts'
import { formatSpots } from './note-spots.ts'
import type { Spot, ToolPair, ToolRule } from './rule.ts'

const isDeclared = ({ before, after }: ToolPair): boolean => before.output !== undefined && after.output !== undefined

const gainedCauses = (pair: ToolPair, kind: CauseKind): readonly Cause[] => {
  const { gained } = pair.output
  return isDeclared(pair) && gained.verdict === 'some' && !gained.undeclared
    ? gained.causes.filter((cause) => cause.kind === kind)
    : []
}

const unexpected = ({ place, reason, witness }: Cause, what: string): Spot => ({
  pointer: `/output${place}`,
  message: `${what} ${reason}`,
  witness,
})

export const outputRules: readonly ToolRule[] = [
  {
    id: 'result-field-optional',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'output',
    step: 'major',
    breaks: 'output schema',
    title: 'A field that every result had may be absent.',
    why: 'Whoever reads it without looking finds nothing.',
    find: (pair) =>
      gainedCauses(pair, 'required').map((cause) => unexpected(cause, `${fieldPath(cause.place)} may be absent.`)),
  },
  {
    id: 'result-type-changed',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'output',
    step: 'major',
    breaks: 'output schema',
    title: 'A field of the result may be of another type.',
    why: 'Whoever reads it gets what it was not made for.',
    find: (pair) =>
      gainedCauses(pair, 'type').map((cause) => unexpected(cause, `${fieldPath(cause.place)} may be of another type.`)),
  },
  {
    id: 'result-value-added',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'output',
    step: 'major',
    breaks: 'output schema',
    title: 'A field of the result may have a value that it could not have.',
    why: 'Whoever tells the values apart meets one that was never listed.',
    find: (pair) =>
      gainedCauses(pair, 'value').map((cause) => unexpected(cause, `${fieldPath(cause.place)} has a value more.`)),
  },
  {
    id: 'result-field-added',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'output',
    step: 'major',
    breaks: 'output schema',
    title: 'A result may have a field that the old schema forbids.',
    why: 'The old schema is closed: whoever checks results by it refuses them.',
    find: (pair) =>
      gainedCauses(pair, 'name').map((cause) => unexpected(cause, `${fieldPath(cause.place)} was not allowed.`)),
  },
  {
    id: 'result-widened',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'output',
    step: 'major',
    breaks: 'output schema',
    title: 'A result may break a bound, a pattern, a length or a combination that it kept.',
    why: 'Whoever relied on it meets values that could not be.',
    find: (pair) =>
      gainedCauses(pair, 'constraint').map((cause) => unexpected(cause, `${fieldPath(cause.place)} is less narrow.`)),
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
        ? gained.causes.map((cause) => unexpected(cause, `${fieldPath(cause.place)} is no longer described.`))
        : []
    },
  },
  {
    id: 'output-schema-removed',
    over: 'tool',
    level: { pin: 'breaking', version: 'breaking' },
    direction: 'output',
    step: 'major',
    breaks: 'output schema',
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
    title: 'Nobody can tell whether results are still what they were said to be.',
    why: 'What cannot be proven compatible counts as breaking.',
    find: ({ output }) => undecided(output, 'output'),
  },
  {
    id: 'result-field-removed',
    over: 'tool',
    level: { pin: 'dangerous', version: 'dangerous' },
    direction: 'output',
    step: 'minor',
    title: 'A field of the result is no longer described.',
    why: 'It was never promised where it was optional, and still somebody reads it.',
    find: (pair) =>
      isDeclared(pair)
        ? pair.output.removed.map((place) => ({
            pointer: `/output${place}`,
            message: `${fieldPath(place)} is no longer described.`,
          }))
        : [],
  },
  {
    id: 'result-field-described',
    over: 'tool',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'output',
    step: 'minor',
    title: 'A field of the result is new.',
    why: 'More comes back than was looked at when the tool was approved.',
    find: (pair) =>
      isDeclared(pair)
        ? pair.output.added.map((place) => ({
            pointer: `/output${place}`,
            message: `${fieldPath(place)} is new.`,
          }))
        : [],
  },
  {
    id: 'output-schema-added',
    over: 'tool',
    level: { pin: 'compatible', version: 'compatible' },
    direction: 'output',
    step: 'minor',
    title: 'The result has a schema now.',
    why: 'Every result is still one that was allowed.',
    find: ({ before, after }) =>
      before.output === undefined && after.output !== undefined
        ? [{ pointer: '/output', message: 'The tool had no schema for its result, and has one now.' }]
        : [],
  },
  {
    id: 'output-narrowed',
    over: 'tool',
    level: { pin: 'compatible', version: 'compatible' },
    direction: 'output',
    step: 'minor',
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
    why: 'Proven in both directions: nothing has changed for anybody.',
    find: (pair) => (isDeclared(pair) ? rewritten(pair.output, 'output') : []),
  },
  {
    id: 'result-format-changed',
    over: 'tool',
    level: { pin: 'dangerous', version: 'dangerous' },
    direction: 'output',
    step: 'minor',
    title: 'The format of a field of the result has changed.',
    why: 'Whoever takes it apart by its format may find another.',
    find: (pair) => formatSpots(pair, 'output'),
  },
]
