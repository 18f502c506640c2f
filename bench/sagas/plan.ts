// The sagas that are killed: what can go wrong in them, and the tools they are made of. What a tool has done is a line in a file, which a
// killed process leaves behind.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool, type SagaDefinition, ToolError, type ToolSource } from '../../src/index.ts'

export const courses = [
  'succeeds',
  'turns back',
  'turns back in doubt',
  'asks on the way back',
  'holds another saga',
] as const
export type Course = (typeof courses)[number]

/** What was done, each as often as it was done. */
export const doneIn = (folder: string): readonly string[] =>
  existsSync(join(folder, 'done')) ? readFileSync(join(folder, 'done'), 'utf8').trim().split('\n').filter(Boolean) : []

const isMended = (folder: string, what: string) => existsSync(join(folder, `mended-${what}`))

/** `reach` is called before and after each effect. `inner` begins the saga that a step of another one is. */
export interface PlanPlaces {
  readonly folder: string
  reach(point: string): void
  inner(operationId: string): Promise<string>
}

const input = {
  type: 'object',
  properties: { step: { type: 'string' } },
  required: ['step'],
  additionalProperties: false,
} as const

export function planTools(course: Course, { folder, reach, inner }: PlanPlaces): readonly ToolSource[] {
  const deed = (name: string) => {
    reach(`${name} before`)
    appendFileSync(join(folder, 'done'), `${name}\n`)
    reach(`${name} after`)
  }
  const base = {
    description: 'One step of a saga that is killed.',
    effect: 'MEDIUM_RISK_WRITE',
    input,
    trusted: true,
    errors: { refused: 'SEMANTIC_INVALIDITY' },
  } as const
  const seen = ({ step }: { readonly step: string }) =>
    doneIn(folder).includes(step)
      ? ({ status: 'verified' } as const)
      : ({ status: 'absent', message: 'There is no trace of it.' } as const)
  const readBack = { recovery: { horizonMs: 300 }, verify: seen } as const
  const does = async ({ step }: { readonly step: string }) => {
    deed(step)
    return { step }
  }
  return [
    defineTool({ ...base, ...readBack, name: 'do', execute: does }),
    defineTool({ ...base, ...readBack, name: 'do_asked', confirm: true, approval: { quorum: 1 }, execute: does }),
    defineTool({ ...base, ...readBack, name: 'undo', execute: does }),
    // What became of a lost attempt of this one only people can say.
    defineTool({
      ...base,
      name: 'undo_blind',
      async execute({ step }) {
        deed(step)
        if (course === 'turns back in doubt') throw new Error('Broke off behind its effect.')
        return { step }
      },
    }),
    defineTool({
      ...base,
      ...readBack,
      name: 'undo_refusing',
      async execute({ step }) {
        if (!isMended(folder, step)) throw new ToolError('refused', 'Not now.', { effect: 'none' })
        deed(step)
        return { step }
      },
    }),
    defineTool({
      ...base,
      ...readBack,
      name: 'pivot',
      async execute({ step }) {
        if (course !== 'succeeds' && course !== 'holds another saga')
          throw new ToolError('refused', 'Never.', { effect: 'none' })
        deed(step)
        return { step }
      },
    }),
    // The inner saga is begun once under the key of this step, however often this is called.
    defineTool({
      ...base,
      name: 'begin_inner',
      recovery: { providerWindowMs: 3_600_000 },
      async execute({ step }, { idempotencyKey }) {
        return { step, inner: await inner(idempotencyKey ?? step) }
      },
    }),
  ]
}

const undoneBy = (course: Course, index: number): string =>
  index === 1 && course === 'turns back in doubt'
    ? 'undo_blind'
    : index === 0 && course === 'asks on the way back'
      ? 'undo_refusing'
      : 'undo'

/** `changed`: the same name with another hash, as after a deploy: another order of undoing, and a step more. */
export function planSaga(course: Course, changed: boolean): SagaDefinition {
  const steps = ['a', 'b', 'c'].map((name, index) => ({
    id: name,
    tool: index === 1 ? 'do_asked' : index === 2 && course === 'holds another saga' ? 'begin_inner' : 'do',
    arguments: { step: name },
    compensate: { tool: undoneBy(course, index), arguments: { step: `undo-${name}` } },
  }))
  const more = {
    id: 'more',
    tool: 'do',
    arguments: { step: 'more' },
    compensate: { tool: 'undo', arguments: { step: 'undo-more' } },
  }
  const behind = { id: 'behind', tool: 'do', arguments: { step: 'behind' } }
  const pivot = { id: 'pivot', tool: 'pivot', arguments: { step: 'pivot' } }
  return {
    name: 'killed',
    version: changed ? '2' : '1',
    pivot: 'pivot',
    steps: changed ? [more, ...steps, pivot, behind] : [...steps, pivot, behind],
  }
}

export const innerSaga: SagaDefinition = {
  name: 'inner',
  version: '1',
  pivot: 'y',
  steps: [
    {
      id: 'x',
      tool: 'do',
      arguments: { step: 'inner-x' },
      compensate: { tool: 'undo', arguments: { step: 'undo-inner-x' } },
    },
    { id: 'y', tool: 'do', arguments: { step: 'inner-y' } },
  ],
}
