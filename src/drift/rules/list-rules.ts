// Rules about a list of tools as a whole: what came, what went, what goes by another name, and what is no tool at all.
import { canonicalize } from '../../json/canonical.ts'
import { skeleton, suspicionOf } from './look-alike.ts'
import type { ListRule } from './rule.ts'
import { sentenceText } from './spots.ts'

const breaking = {
  over: 'list',
  level: { pin: 'breaking', version: 'breaking' },
  direction: 'list',
  step: 'major',
} as const

export const listRules: readonly ListRule[] = [
  {
    id: 'tool-removed',
    ...breaking,
    title: 'A tool is gone.',
    why: 'Every call of it fails.',
    find: ({ removed }) => removed.map(({ name }) => ({ tool: name, pointer: '', message: `${name} is gone.` })),
  },
  {
    id: 'tool-renamed',
    ...breaking,
    title: 'A tool goes by another name.',
    why: 'Calls, policies and approvals name tools: under the old name there is nothing, and under the new one nothing was approved.',
    find: ({ matched }) =>
      matched
        .filter(({ before, after }) => before.name !== after.name)
        .map(({ before, after }) => ({
          tool: before.name,
          pointer: '/name',
          message: `${before.name} is called ${after.name} now.`,
          before: before.name,
          after: after.name,
        })),
  },
  {
    id: 'look-alike-name',
    ...breaking,
    title: 'A new name can be taken for another one.',
    why: 'A model, or the person who approves its calls, picks the wrong tool.',
    find: ({ before, after, matched, added }) => {
      const renamed = matched.filter((pair) => pair.before.name !== pair.after.name).map((pair) => pair.after)
      const names = [...new Set([...before.tools, ...after.tools].map(({ name }) => name))]
      const bySkeleton = Map.groupBy(names, skeleton)
      return [...added, ...renamed].flatMap(({ name }) => {
        const twin = bySkeleton.get(skeleton(name))?.find((other) => other !== name)
        const suspicion = suspicionOf(name)
        const reasons = [
          ...(twin === undefined ? [] : [`it looks like ${twin}`]),
          ...(suspicion === undefined ? [] : [suspicion]),
        ]
        if (reasons.length === 0) return []
        return [
          { tool: name, pointer: '/name', message: `${name} is suspicious: ${reasons.join(', and ')}.`, after: name },
        ]
      })
    },
  },
  {
    id: 'tool-malformed',
    ...breaking,
    title: 'An entry of the list is no tool.',
    why: 'What a call of it would do is unknown. The other tools of the list are judged as always.',
    find: ({ before, after }) => {
      const known = new Set(before.malformed.map(({ raw }) => canonicalize(raw)))
      return after.malformed
        .filter(({ raw }) => !known.has(canonicalize(raw)))
        .map(({ name, pointer, reason }) => ({ tool: name, pointer, message: sentenceText(reason) }))
    },
  },
  {
    id: 'tool-added',
    over: 'list',
    level: { pin: 'dangerous', version: 'compatible' },
    direction: 'list',
    step: 'minor',
    title: 'A tool is new.',
    why: 'No person has looked at it: it is offered to models beside those that were approved.',
    find: ({ added }) => added.map(({ name }) => ({ tool: name, pointer: '', message: `${name} is new.` })),
  },
]
