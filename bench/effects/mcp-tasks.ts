// Tasks that an MCP server makes of a call, in every state, by the two revisions that have them.
import { oneText } from '../../test/execute/mcp-servers/deed-server.ts'
import type { EffectRow } from './effect-table.ts'
import { complete, done, type McpPlay, type McpStage, type Revision, raw, revisions } from './mcp-stage.ts'

interface TaskPlay {
  readonly name: string
  /** What the call is answered with. */
  readonly first?: object
  /** What tasks/get says, one after the other, the last for ever; without it there is no such method. */
  readonly states?: readonly object[]
  /** What the task came to. */
  readonly end?: object
  readonly endless?: true
}

const completed: readonly TaskPlay[] = [
  { name: 'later', states: [{ status: 'working' }, { status: 'completed' }], end: done },
  { name: 'at once', first: { status: 'completed' }, states: [{ status: 'completed' }], end: done },
]

const others: readonly TaskPlay[] = [
  {
    name: 'completed with an error of the tool',
    states: [{ status: 'completed' }],
    end: { ...oneText('no'), isError: true },
  },
  { name: 'completed with no result', states: [{ status: 'completed' }], end: {} },
  { name: 'goes on for ever', states: [{ status: 'working' }], endless: true },
  { name: 'failed', states: [{ status: 'working' }, { status: 'failed' }] },
  { name: 'failed at once', first: { status: 'failed' }, states: [{ status: 'failed' }] },
  { name: 'failed, with a result of the tool', states: [{ status: 'failed' }], end: done },
  { name: 'cancelled', states: [{ status: 'cancelled' }] },
  {
    name: 'needs input',
    states: [{ status: 'input_required', inputRequests: { odd: { method: 'odd' } } }],
    endless: true,
  },
  { name: 'in a state of its own', states: [{ status: 'odd' }] },
  { name: 'in no state', states: [{ status: undefined }] },
  { name: 'not found again', states: [{ error: { code: -32602, message: 'Task not found' } }] },
  { name: 'asked for with an error', states: [{ error: { code: -32601, message: 'no' } }] },
  { name: 'of which nothing can be asked' },
  { name: 'without a name', first: { taskId: undefined } },
  { name: 'another one that is completed', states: [{ status: 'completed', taskId: 't2' }], end: done },
  { name: 'another one on the way', states: [{ taskId: 't2' }, { status: 'completed' }], end: done },
  { name: 'of no name when it is completed', states: [{ status: 'completed', taskId: undefined }], end: done },
]

export function taskRows(stage: McpStage): readonly EffectRow[] {
  const casesOf = (plays: readonly TaskPlay[]) => () =>
    plays.flatMap((one) =>
      revisions.map((revision) => stage.over(revision, one.name, playOf(revision, one), one.endless ? 300 : undefined)),
    )
  return [
    {
      came: 'a task that is completed with a result',
      effect: 'happened',
      because: 'MCP, tasks: completed says that the request completed, and its result is there',
      cases: casesOf(completed),
    },
    { came: 'a task that came to no result', effect: 'unknown', cases: casesOf(others) },
  ]
}

const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' }
const failure = { code: -32602, message: 'It failed while it ran.' }

const taskOf = (revision: Revision, state: object) =>
  revision === '2025'
    ? { taskId: 't1', ttl: 60_000, pollInterval: 10, ...times, ...state }
    : { taskId: 't1', ttlMs: 60_000, pollIntervalMs: 10, ...times, ...state }

function playOf(revision: Revision, { first = { status: 'working' }, states, end }: TaskPlay): McpPlay {
  let asked = 0
  const modern = revision === '2026-07-28'
  const answerGet = (): object => {
    const state = states?.[Math.min(asked++, states.length - 1)] as { readonly status?: string }
    if ('error' in state || !modern) return 'error' in state ? state : taskOf(revision, state)
    const result = state.status === 'completed' && end !== undefined ? { result: { ...complete, ...end } } : {}
    const error = state.status === 'failed' ? { error: failure } : {}
    return { ...complete, task: true, ...taskOf(revision, state), ...result, ...error }
  }
  return {
    answer: (call) => {
      asked = 0
      const task = taskOf(revision, { status: 'working', ...first })
      return raw(call, modern ? { resultType: 'task', ...task } : { task })
    },
    other: (method) => {
      if (states === undefined) return undefined
      if (method === 'tasks/get') return answerGet()
      if (method === 'tasks/cancel') return complete
      return method === 'tasks/result' && !modern ? (end ?? { error: failure }) : undefined
    },
  }
}
