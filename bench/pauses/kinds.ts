// One tool per kind of executor, against a real thing of this machine, and one that commits in the ledger's own database. Each does one
// thing to the world, and does it again whenever it is asked again: only Proviso keeps it to once.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  type ExecutionContext,
  type Executor,
  type ExecutorKind,
  executorKinds,
} from '../../src/contract/tool/executor.ts'
import { fn } from '../../src/execute/executors/fn.ts'
import { defineTool, ToolError, type ToolSource } from '../../src/index.ts'
import { email, file, http, mcp, runProcess, sql } from '../../src/public/executors.ts'
import { type ExecutorWatch, watched } from './watched-executor.ts'

export const pauseKinds = [...executorKinds, 'sql_ledger'] as const satisfies readonly (ExecutorKind | 'sql_ledger')[]
export type PauseKind = (typeof pauseKinds)[number]

/** Where the world of the trials is, for every process alike. */
export interface Places {
  /** The ledger's database, which also has the table of the sql tools. */
  readonly url: string
  /** Below it, a folder for each kind that works on files. */
  readonly folder: string
  readonly program: string
  readonly httpPort: number
  readonly mcpPort: number
  readonly smtpPort: number
}

/** Undefined: the default. */
export interface Timing {
  readonly leaseMs?: number
  readonly timeoutMs?: number
  readonly horizonMs?: number
}

const input = {
  type: 'object',
  properties: { id: { type: 'string', maxLength: 40 } },
  required: ['id'],
  additionalProperties: false,
} as const

interface Order {
  readonly id: string
}

const insert = {
  name: 'insert',
  access: 'write',
  text: 'insert into world.effects (op) values ($1)',
  parameters: [{ argument: '/id', type: 'text' }],
} as const

/** As code of a user does it: some work, a last look, and then the effect at once. */
async function appendLine(path: string, id: string, context: ExecutionContext): Promise<{ readonly id: string }> {
  for (let step = 0; step < 3; step++) await sleep(1)
  if (!context.mayAct())
    throw new ToolError('not_ours', 'Another process may have taken this over. Nothing was done.', { effect: 'none' })
  appendFileSync(join(path, id), `${id}\n`)
  return { id }
}

/** As a name server does it: not at once. */
async function resolve() {
  await sleep(2)
  return [{ address: '127.0.0.1', family: 4 as const }]
}

const executors: Readonly<Record<PauseKind, (places: Places) => Executor>> = {
  fn: ({ folder }) => fn((args, context) => appendLine(join(folder, 'fn'), String(args.id), context)),
  http: ({ httpPort }) =>
    http({
      method: 'POST',
      url: `http://api.proviso.test:${httpPort}/effects/{id}`,
      json: { id: '{id}' },
      network: { resolve },
    }),
  mcp: ({ mcpPort }) => mcp({ server: { url: `http://127.0.0.1:${mcpPort}/mcp` }, tool: 'book' }),
  process: ({ program, folder }) =>
    runProcess({ program, arguments: [`${folder}/process`, '{id}'], isolation: 'none', network: false }),
  sql: ({ url }) => sql({ database: { pool: poolOf(url) }, statements: [insert] }),
  file: ({ folder }) => file({ root: join(folder, 'file'), operation: 'append', path: '/id', content: '/id' }),
  email: ({ smtpPort }) =>
    email({
      from: 'Trials <trials@kestrel.example>',
      to: 'ann@example.com',
      subject: '{id}',
      text: 'It is done.',
      recipients: ['example.com'],
      smtp: {
        host: 'mail.proviso.test',
        port: smtpPort,
        security: 'none',
        network: { resolve },
      },
    }),
  sql_ledger: () => sql({ database: 'ledger', statements: [insert] }),
}

/** Where a tool of this kind connects to. */
const hosts: Readonly<
  Partial<Record<PauseKind, (places: Places) => { readonly name: string; readonly port: number }>>
> = {
  http: ({ httpPort }) => ({ name: 'api.proviso.test', port: httpPort }),
  mcp: ({ mcpPort }) => ({ name: '127.0.0.1', port: mcpPort }),
  email: ({ smtpPort }) => ({ name: 'mail.proviso.test', port: smtpPort }),
}

export const toolName = (kind: PauseKind): string => `pause_${kind}`

export function makeTools(
  places: Places,
  { timeoutMs, horizonMs }: Timing,
  watch: ExecutorWatch,
): readonly ToolSource[] {
  return pauseKinds.map((kind) => {
    const host = hosts[kind]?.(places)
    return defineTool({
      name: toolName(kind),
      description: 'Does one thing to the world of the trials.',
      effect: kind === 'email' ? 'HIGH_RISK_EXTERNAL' : 'MEDIUM_RISK_WRITE',
      input,
      trusted: true,
      operation: ['/id'],
      maxRetries: 0,
      rate: { windowSec: 1, maxRequests: 1_000_000 },
      executor: watched(executors[kind](places), watch),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(horizonMs === undefined ? {} : { recovery: { horizonMs } }),
      ...(host === undefined
        ? {}
        : {
            egress: 'allowlisted_domains' as const,
            egressDomains: [host.name],
            connections: { loopback: true, ports: [host.port], plain: true },
          }),
      ...(kind === 'sql_ledger' ? {} : { verify: ({ id }: Order) => readBack(places, kind, id) }),
    })
  })
}

async function readBack({ httpPort }: Places, kind: PauseKind, id: string) {
  const response = await fetch(`http://127.0.0.1:${httpPort}/there/${kind}/${id}`)
  const { there } = (await response.json()) as { readonly there: boolean }
  return there ? { status: 'verified' as const } : { status: 'absent' as const, message: 'There is no trace of it.' }
}

const pools = new Map<string, pg.Pool>()

function poolOf(url: string): pg.Pool {
  const pool = pools.get(url) ?? new pg.Pool({ connectionString: url, max: 4, application_name: 'tools' })
  if (!pools.has(url)) {
    pool.on('error', () => undefined)
    pools.set(url, pool)
  }
  return pool
}

/** The tools of this database are done with. */
export async function closePool(url: string): Promise<void> {
  await pools.get(url)?.end()
  pools.delete(url)
}
