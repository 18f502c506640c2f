// A task that a server makes of a call: it is asked how far it is until it has ended, or the call's own time is over; then it is told to
// stop. The call was heard, so its effect is unknown until there is a result, in every state of the task.
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../../../contract/fault.ts'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { isObject, type JsonObject } from '../../../json/value.ts'
import { lastLook } from '../../attempt/may-act.ts'
import { type Elicit, withDefaults } from './elicit.ts'

export interface TaskLine {
  readonly modern: boolean
  readonly signal: AbortSignal
  readonly mayAct: ExecutionContext['mayAct']
  readonly elicit: Elicit | undefined
  /** The result as it came; rejects where the answer was an error, or none came. */
  request(method: string, params: JsonObject): Promise<unknown>
  /** Sent without waiting. */
  cancel(params: JsonObject): void
}

const leastPauseMs = 50
const longestPauseMs = 10_000
const usualPauseMs = 1_000
/** So often in a row a question about the task may fail before it counts as lost: to ask has no effect. */
const mostFailures = 3

/** What the server made of the call, if that is a task. */
export function taskIn(result: unknown, modern: boolean): JsonObject | undefined {
  if (!isObject(result)) return undefined
  if (modern) return result.resultType === 'task' ? result : undefined
  return isObject(result.task) && result.content === undefined ? result.task : undefined
}

/** Its result, as a call would have had it. */
export async function resultOfTask(first: JsonObject, line: TaskLine): Promise<unknown> {
  const { taskId } = first
  if (typeof taskId !== 'string' || taskId === '') throw badTask('a task without a name')
  const answered = new Set<string>()
  let task = first
  let isOver = false
  try {
    // By the revision of 2026 the result stands in what the task is asked for, and not in what the call was answered.
    if (line.modern || !isTerminal(task)) task = await lookAgain(taskId, task, line)
    for (;;) {
      const ended = await endOf(taskId, task, line)
      if (ended !== undefined) {
        isOver = true
        return ended.result
      }
      if (task.status === 'input_required') await giveInput(taskId, task, line, answered)
      task = await lookAgain(taskId, task, line)
    }
  } catch (error) {
    isOver ||= error instanceof ToolError && isEnd(error)
    throw error
  } finally {
    if (!isOver) line.cancel({ taskId })
  }
}

async function lookAgain(taskId: string, task: JsonObject, line: TaskLine): Promise<JsonObject> {
  for (let failures = 0; ; ) {
    await sleep(pauseOf(task), undefined, { signal: line.signal })
    try {
      const next = await line.request('tasks/get', { taskId })
      if (!isObject(next)) throw badTask('a task that is none')
      if (next.taskId !== taskId) throw badTask('another task than the one that was asked for')
      return next
    } catch (error) {
      const isItsWord =
        error instanceof ToolError || typeof (error as { readonly code?: unknown } | null)?.code === 'number'
      if (isItsWord || line.signal.aborted || ++failures >= mostFailures) throw error
    }
  }
}

function pauseOf({ pollIntervalMs, pollInterval }: JsonObject): number {
  const asked = pollIntervalMs ?? pollInterval
  const pauseMs = typeof asked === 'number' && asked >= 0 ? asked : usualPauseMs
  return Math.min(Math.max(pauseMs, leastPauseMs), longestPauseMs)
}

const isTerminal = ({ status }: JsonObject): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** Undefined while it goes on. */
async function endOf(
  taskId: string,
  task: JsonObject,
  line: TaskLine,
): Promise<{ readonly result: unknown } | undefined> {
  switch (task.status) {
    case 'working':
      return undefined
    case 'input_required':
      // By the revision of 2025 what it needs is asked for while its result is waited for.
      return line.modern ? undefined : { result: await line.request('tasks/result', { taskId }) }
    case 'completed':
      return { result: line.modern ? task.result : await line.request('tasks/result', { taskId }) }
    case 'cancelled':
      throw ended('mcp_task_cancelled', 'The task was cancelled.', task)
    case 'failed': {
      if (line.modern) throw ended('mcp_task_failed', 'The task failed.', isObject(task.error) ? task.error : task)
      return { result: await resultOfFailed(taskId, task, line) }
    }
    default:
      throw badTask('a task in no known state')
  }
}

/** By the revision of 2025 a task also counts as failed where its tool answered with an error. */
async function resultOfFailed(taskId: string, task: JsonObject, line: TaskLine): Promise<unknown> {
  let result: unknown
  try {
    result = await line.request('tasks/result', { taskId })
  } catch (error) {
    throw ended('mcp_task_failed', 'The task failed.', { message: error instanceof Error ? error.message : '' })
  }
  if (isObject(result) && result.isError === true) return result
  throw ended('mcp_task_failed', 'The task failed.', task)
}

async function giveInput(
  taskId: string,
  { inputRequests }: JsonObject,
  line: TaskLine,
  answered: Set<string>,
): Promise<void> {
  const open = Object.entries(isObject(inputRequests) ? inputRequests : {}).filter(([key]) => !answered.has(key))
  for (const [key, request] of open) {
    const { method, params } = isObject(request) ? request : {}
    if (line.elicit === undefined || method !== 'elicitation/create')
      throw ended('mcp_input_required', 'The task wants what this tool does not give it.', {})
    answered.add(key)
    const answer = withDefaults(await line.elicit(params), params)
    // It goes on with this.
    lastLook(line)
    await line.request('tasks/update', { taskId, inputResponses: { [key]: answer as unknown as JsonObject } })
  }
}

const ends: ReadonlySet<string> = new Set(['mcp_task_failed', 'mcp_task_cancelled'])
const isEnd = ({ code }: ToolError): boolean => ends.has(code)

function ended(code: string, what: string, { message, statusMessage }: JsonObject): ToolError {
  const words = typeof statusMessage === 'string' ? statusMessage : message
  return new ToolError(code, typeof words === 'string' && words !== '' ? `${what} The server says: ${words}` : what, {
    effect: 'unknown',
  })
}

const badTask = (what: string): ToolError =>
  new ToolError('mcp_bad_result', `The server answered what is no result of a tool: ${what}.`, { effect: 'unknown' })
