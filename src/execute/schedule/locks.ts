// Locks within this process, held from schedule to the end of the call. All keys of a call are asked for together and every key has one
// queue in order of arrival, so calls that hold nothing yet never wait for each other; readers share, and no reader overtakes a writer.
// A call made within another one works under the locks of that one; where waiting would go round in a circle, it fails as entangled.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallLocks, LockGrant, LockMode, LockWant } from '../../contract/call/call-locks.ts'
import { sha256 } from '../../json/hash.ts'
import type { Entropy } from '../../json/id.ts'
import { enqueue, type Queues, type Request, remove } from './lock-queue.ts'

export interface Locks {
  /** The locks of a new call, within the call whose code is running, if any. */
  open(): OpenLocks
}

export interface OpenLocks extends CallLocks {
  /** Calls that this work makes are made within this call. */
  enclose<T>(work: () => T): T
}

/** One call: what it asked for, and what is asked for by calls within it under its own locks. */
interface Scope {
  /** The Proviso whose locks these are: a call made within a call of another Proviso does not work under that one's locks. */
  readonly of: object
  /** The call whose code made this one, also where that is a call of another Proviso. */
  readonly around: Scope | undefined
  readonly parent: Scope | undefined
  inner: Queues<Scope> | undefined
  request: Request<Scope> | undefined
  ended: boolean
}

/** One for all: a context keeps every store it has ever been given. */
const running = new AsyncLocalStorage<Scope>()

/** How many names of locks are remembered: making one takes longer than locking. */
const maxNamed = 10_000

export function createLocks(entropy: Entropy): Locks {
  // Without it, the names of locks would tell what they stand for.
  const salt = Buffer.from(entropy.bytes(16)).toString('hex')
  const queues: Queues<Scope> = new Map()
  /** Requests that wait while the call they are made within holds locks: only they can close a circle. */
  const nestedWaiters = new Set<Request<Scope>>()
  const ids = new Map<string, string>()
  const idOf = (key: string): string => {
    const known = ids.get(key)
    if (known !== undefined) return known
    const id = sha256(salt + key).slice(0, 16)
    if (ids.size >= maxNamed) ids.clear()
    ids.set(key, id)
    return id
  }
  let tickets = 0

  const grantOf = (wants: readonly LockWant[], waited: boolean, ticket: number): LockGrant => ({
    waited,
    ticket,
    locks: wants.map(({ key, mode }) => ({ id: idOf(key), mode })),
  })

  const acquire = (scope: Scope, given: readonly LockWant[], signal: AbortSignal | undefined) => {
    const wants = merged(given)
    const ticket = ++tickets
    const request = enqueue(scope, wants, ({ key, mode }) => queuesFor(scope.parent, key, mode) ?? queues)
    scope.request = request
    if (request.shut === 0) return grantOf(wants, false, ticket)
    const isNested = scope.parent !== undefined && !isGone(scope.parent)
    if (isNested && goesRound(request, nestedWaiters)) {
      giveUp(scope, request)
      return 'entangled'
    }
    if (isNested) nestedWaiters.add(request)
    return new Promise<LockGrant | undefined>((resolve) => {
      const leave = () => {
        nestedWaiters.delete(request)
        giveUp(scope, request)
        resolve(undefined)
      }
      request.grant = () => {
        nestedWaiters.delete(request)
        signal?.removeEventListener('abort', leave)
        resolve(grantOf(wants, true, ticket))
      }
      if (signal?.aborted) leave()
      else signal?.addEventListener('abort', leave, { once: true })
    })
  }

  const giveUp = (scope: Scope, request: Request<Scope>) => {
    scope.request = undefined
    remove(request)
    letGo(scope.parent)
  }

  return {
    open() {
      const around = running.getStore()
      const parent = nearest(around, queues)
      const scope: Scope = { of: queues, around, parent, inner: undefined, request: undefined, ended: false }
      return {
        acquire: (wants, signal) => acquire(scope, wants, signal),
        release() {
          scope.ended = true
          letGo(scope)
        },
        enclose: (work) => running.run(scope, work),
      }
    },
  }
}

function nearest(from: Scope | undefined, of: object): Scope | undefined {
  let scope = from
  while (scope !== undefined && scope.of !== of) scope = scope.around
  return scope
}

/** Lets go of what ended calls hold, from the inside out: a call within one that has ended keeps the locks that it works under. */
function letGo(from: Scope | undefined): void {
  for (let scope = from; scope !== undefined; scope = scope.parent) {
    if (!scope.ended || (scope.inner?.size ?? 0) > 0) return
    const { request } = scope
    scope.request = undefined
    if (request !== undefined) remove(request)
  }
}

const isGone = (scope: Scope): boolean =>
  scope.request === undefined && (scope.parent === undefined || isGone(scope.parent))

/** Where calls within the nearest call that holds the key ask for it; undefined where none does. */
function queuesFor(from: Scope | undefined, key: string, mode: LockMode): Queues<Scope> | undefined {
  for (let scope = from; scope !== undefined; scope = scope.parent) {
    const held = scope.request?.nodes.find((node) => node.queue.key === key)
    if (held === undefined) continue
    if (held.mode === 'shared' && mode === 'exclusive') return held.queue.queues
    scope.inner ??= new Map()
    return scope.inner
  }
  return undefined
}

/**
 * Whether the request waits, directly or through other calls, for itself or for a call that it is made within. A call waits for the calls
 * before it in its queues, and for calls made within it.
 */
function goesRound(request: Request<Scope>, nestedWaiters: ReadonlySet<Request<Scope>>): boolean {
  const own = new Set(ancestors(request.owner))
  const seen = new Set<Request<Scope>>([request])
  const open = [...blockers(request)]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (own.has(next.owner)) return true
    open.push(...blockers(next))
    for (const waiter of nestedWaiters) if (ancestors(waiter.owner).includes(next.owner)) open.push(waiter)
  }
  return false
}

function ancestors({ parent }: Scope): readonly Scope[] {
  return parent === undefined ? [] : [parent, ...ancestors(parent)]
}

/** The requests before this one, in the queues where it cannot go on yet. */
function blockers({ nodes }: Request<Scope>): readonly Request<Scope>[] {
  return nodes.flatMap((node) => {
    const before: Request<Scope>[] = []
    if (!node.open) for (let at = node.before; at !== undefined; at = at.before) before.push(at.request)
    return before
  })
}

/** One entry per key, and the stronger mode where a key is wanted twice. */
function merged(wants: readonly LockWant[]): readonly LockWant[] {
  if (wants.length < 2) return wants
  const byKey = new Map<string, LockWant>()
  for (const want of wants) if (byKey.get(want.key)?.mode !== 'exclusive') byKey.set(want.key, want)
  return [...byKey.values()]
}
