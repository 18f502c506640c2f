// One queue per key, in order of arrival; holders stay in it until they let go. A node is open when nothing before it is in its way, and
// a request is granted when all its nodes are open. Every operation costs one step per key of the request, plus one for every node that
// becomes open: a thousand calls cost thousands of steps, not a million.
import type { LockMode, LockWant } from '../../contract/call/call-locks.ts'

export type Queues<Owner> = Map<string, Queue<Owner>>

interface Queue<Owner> {
  readonly key: string
  /** Where it is found; once empty it is gone from there. */
  readonly queues: Queues<Owner>
  last: Node<Owner> | undefined
  /** The first node that is not open; nothing after it is. */
  firstShut: Node<Owner> | undefined
}

interface Node<Owner> {
  readonly queue: Queue<Owner>
  readonly mode: LockMode
  readonly request: Request<Owner>
  before: Node<Owner> | undefined
  after: Node<Owner> | undefined
  open: boolean
}

export interface Request<Owner> {
  readonly owner: Owner
  readonly nodes: Node<Owner>[]
  /** How many of its nodes are not open. */
  shut: number
  /** Called once, when the last of them opens. */
  grant: (() => void) | undefined
}

/** Puts a request at the end of every queue it names; each of them once. */
export function enqueue<Owner>(
  owner: Owner,
  wants: readonly LockWant[],
  queuesFor: (want: LockWant) => Queues<Owner>,
): Request<Owner> {
  const request: Request<Owner> = { owner, nodes: [], shut: 0, grant: undefined }
  for (const want of wants) {
    const { key, mode } = want
    const queues = queuesFor(want)
    let queue = queues.get(key)
    if (queue === undefined) {
      queue = { key, queues, last: undefined, firstShut: undefined }
      queues.set(key, queue)
    }
    const node: Node<Owner> = { queue, mode, request, before: queue.last, after: undefined, open: false }
    if (queue.last !== undefined) queue.last.after = node
    queue.last = node
    node.open = mayOpen(node)
    if (!node.open) {
      request.shut++
      queue.firstShut ??= node
    }
    request.nodes.push(node)
  }
  return request
}

/** Takes a request out of all its queues, whether it holds them or waits; requests that can go on now are granted, in order of arrival. */
export function remove<Owner>({ nodes }: Request<Owner>): void {
  const granted: Request<Owner>[] = []
  for (const node of nodes) {
    const { queue, before, after } = node
    if (before !== undefined) before.after = after
    if (after !== undefined) after.before = before
    if (queue.last === node) queue.last = before
    if (queue.firstShut === node) queue.firstShut = after
    if (queue.last === undefined) queue.queues.delete(queue.key)
    else openNext(queue, granted)
  }
  for (const { grant } of granted) grant?.()
}

function openNext<Owner>(queue: Queue<Owner>, granted: Request<Owner>[]): void {
  for (let node = queue.firstShut; node !== undefined && mayOpen(node); node = node.after) {
    node.open = true
    queue.firstShut = node.after
    if (--node.request.shut === 0) granted.push(node.request)
  }
}

/** A writer is alone at the head of its queue; a reader has only readers before it. */
function mayOpen<Owner>({ mode, before }: Node<Owner>): boolean {
  return before === undefined || (mode === 'shared' && before.mode === 'shared' && before.open)
}
