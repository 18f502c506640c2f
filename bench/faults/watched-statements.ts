// Every statement of this process on its way to Postgres: sent and never answered, or sent into a connection that has just ended. The
// ledger above cannot know which; that is the fault.
import pg from 'pg'
import { killSelf, type TripWire } from './trip-wire.ts'

/** Statements of timers come at any time: they are no points of a call. */
const unnumbered: ReadonlySet<string> = new Set([
  'renew-leases',
  'ledger-kind',
  'ledger-state',
  'set idle_session_timeout',
  'select pg_backend_pid(),',
  'select pg_backend_pid()',
  'owner-of',
  'end-owner',
  'save-contracts',
  'saga-renew',
  'verifications-claim',
])
/** How long a statement that was sent has to be done before its sender dies. */
const doneMs = 4
const cutMs = 15

type Query = (...given: unknown[]) => unknown
type Wired = pg.Client & {
  readonly processID: number
  readonly connection: { readonly stream: import('node:net').Socket }
}

export function watchStatements(wire: TripWire, url: () => string): void {
  const prototype = pg.Client.prototype as unknown as { query: Query }
  const { query } = prototype
  prototype.query = function (this: Wired, ...given) {
    const name = nameOf(given[0])
    const fate = name === undefined || unnumbered.has(name) ? 'go' : wire.statement(name)
    switch (fate) {
      case 'go':
        return query.apply(this, given)
      case 'sent':
        // Written before it returns: from here on it is the server's. Nothing of this process runs while it waits.
        query.apply(this, given)
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, doneMs)
        return killSelf()
      case 'cut': {
        const { stream } = this.connection
        const answer = query.apply(this, given)
        stream.pause()
        setTimeout(() => stream.destroy(), cutMs)
        return answer
      }
      case 'ended': {
        const send = () => query.apply(this, given)
        const later = endConnection(url(), this.processID, query).then(send, send)
        return given.some((part) => typeof part === 'function') ? undefined : later
      }
    }
  }
}

async function endConnection(url: string, backend: number, query: Query): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await query.call(client, 'select pg_terminate_backend($1, 1000)', [backend])
  await client.end()
}

function nameOf(given: unknown): string | undefined {
  if (typeof given === 'string') return wordsOf(given)
  if (typeof given !== 'object' || given === null) return undefined
  const { name, text } = given as { readonly name?: unknown; readonly text?: unknown }
  if (typeof name === 'string') return name
  return typeof text === 'string' ? wordsOf(text) : undefined
}

const wordsOf = (text: string) => text.trim().split(/\s+/).slice(0, 2).join(' ').toLowerCase()
