// The connections to databases whose URL is a credential: one pool per URL and set of egress rules, shared by every tool that has both.
// The name in the URL is resolved under the contract's egress policy, anew for every connection, and only checked addresses are dialled.
import { Socket } from 'node:net'
import pg from 'pg'
import { ToolError } from '../../../contract/fault.ts'
import type { Egress, ExecutionContext } from '../../../contract/tool/executor.ts'
import { canonicalize } from '../../../json/canonical.ts'
import { hashFields } from '../../../json/hash.ts'
import type { JsonValue } from '../../../json/value.ts'
import { routeOrError, systemResolve, type Target } from '../../egress/allowed-host.ts'
import { keepOpen } from '../kept-open.ts'
import { handedCredential } from '../text-template.ts'

export interface SqlCredential {
  /** Under which name the binding asks for the URL. */
  readonly credential: string
  /** How many connections at once, for every tool that uses the same URL; 5 by default. */
  readonly connections?: number | undefined
}

const pools = keepOpen<pg.Pool>((pool) => pool.end())

const connectMs = 10_000
const encrypting: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full'])

export async function poolFor(
  owner: object,
  { credential, connections = 5 }: SqlCredential,
  { credentials, egress }: ExecutionContext,
): Promise<pg.Pool> {
  const url = handedCredential({ credentials }, credential)
  const target = targetOf(url)
  if (target === undefined)
    throw unusable('sql_url', `The credential ${credential} is no URL such as postgres://user:password@host/database.`)
  // What the name stands for is judged again with every connection; an address has no such moment.
  await addressesFor(target, egress)
  const key = hashFields('sql-pool', [url, String(connections), canonicalize({ ...egress } as unknown as JsonValue)])
  return pools.use(owner, key, () => openPool(url, target, connections, egress))
}

export const releasePools = (owner: object): Promise<void> => pools.release(owner)

function openPool(url: string, target: Target, connections: number, egress: Egress): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    application_name: 'proviso',
    stream: () => checkedSocket(target, egress),
  })
  // An idle connection that the server closes is not an error of a call; the next call opens another.
  pool.on('error', () => undefined)
  return pool
}

/** Dials only addresses that were judged for this connection, also where the name resolves to others a moment later. */
function checkedSocket(target: Target, egress: Egress): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  // The driver calls it with the host of the URL, and with a port that may come from PGPORT: the one that was judged is dialled.
  return Object.assign(socket, {
    connect: (_port: number, host: string) =>
      connect({
        port: target.port,
        host,
        autoSelectFamily: true,
        lookup: (_name, _options, give) => {
          addressesFor(target, egress).then(
            (addresses) => give(null, [...addresses]),
            (error: Error) => give(error, []),
          )
        },
      }),
  })
}

const addressesFor = async (target: Target, egress: Egress) =>
  (await routeOrError(target, egress, systemResolve)).addresses

/** Undefined where the text is not the URL of a host: a socket in the file system, or parameters that would lead elsewhere. */
function targetOf(text: string): Target | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, searchParams } = new URL(text)
  const leadsElsewhere = ['host', 'hostaddr', 'port'].some((name) => searchParams.has(name))
  if ((protocol !== 'postgres:' && protocol !== 'postgresql:') || hostname === '' || leadsElsewhere) return undefined
  return {
    host: decodeURIComponent(hostname),
    port: port === '' ? 5432 : Number(port),
    // The driver takes the last of several.
    encrypted: encrypting.has(searchParams.getAll('sslmode').at(-1) ?? ''),
    usualPorts: [5432],
  }
}

const unusable = (code: string, message: string): ToolError =>
  new ToolError(code, `${message} Nothing was sent.`, { effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })
