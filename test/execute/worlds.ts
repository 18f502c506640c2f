// One small world for each kind of executor: a real server, folder or database of this machine, and how often the effect is to be seen in it.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMcpHandler } from '@modelcontextprotocol/server'
import pg from 'pg'
import type { EffectClass, Executor, FileOptions, JsonObject, ProcessOptions } from '../../src/index.ts'
import { email, file, folderStage, http, mcp, runProcess, sql } from '../../src/public/executors.ts'
import { executionContext } from './execution-context.ts'
import { answerJson, localServer } from './local-server.ts'
import { serveHttp } from './mcp-servers/over-http.ts'
import { makeServer } from './mcp-servers/tools.ts'
import { makePrograms } from './programs.ts'
import { smtpServer } from './smtp-server.ts'
import { testCertificate } from './test-certificate.ts'

export interface World {
  readonly executor: Executor
  readonly args: JsonObject
  readonly effect: EffectClass
  /** Where it connects to on this machine. */
  readonly ports: readonly number[]
  readonly credentials?: ReadonlyMap<string, string>
  seen(): number | Promise<number>
  close(): unknown
}

export interface WorldRow {
  readonly name: string
  /** How often one run asks whether it may act. */
  readonly looks: number
  /** A program that was started may have done something, also without its input. */
  readonly unknownAt?: number
  open(databaseUrl: () => Promise<string>): World | Promise<World>
}

const network = { resolve: async () => [{ address: '127.0.0.1', family: 4 }], ca: testCertificate }
const stdioServer = fileURLToPath(new URL('./mcp-servers/stdio.ts', import.meta.url))

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'proviso-world-'))
  // Programs are run as another user.
  chmodSync(path, 0o777)
  return { at: (name: string) => join(path, name), path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

const textAt = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
const times = (text: string, word: string) => text.split(word).length - 1

async function request(): Promise<World> {
  const server = await localServer(answerJson({ ok: true }), { tls: true })
  return {
    executor: http({ method: 'POST', url: `https://api.proviso.test:${server.port}/charges`, json: true, network }),
    args: { amount: 5 },
    effect: 'MEDIUM_RISK_WRITE',
    ports: [server.port],
    seen: () => server.begun,
    close: () => server[Symbol.asyncDispose](),
  }
}

async function mcpOverHttp(): Promise<World> {
  const handler = createMcpHandler(makeServer)
  const server = await serveHttp((asked) => handler.fetch(asked))
  const executor = mcp({ server: { url: server.url }, tool: 'say' })
  return {
    executor,
    args: { text: 'once' },
    effect: 'MEDIUM_RISK_WRITE',
    ports: [server.port],
    seen: () => server.seen.filter(({ body }) => body.includes('tools/call')).length,
    close: async () => {
      await executor.close?.()
      await handler.close()
      await server.close()
    },
  }
}

function mcpOnPipes(): World {
  const { at, remove } = folder()
  const line = `tee ${at('heard')} | ${process.execPath} ${stdioServer}`
  const executor = mcp({ server: { command: ['/bin/sh', '-c', line], network: false }, tool: 'say' })
  return {
    executor,
    args: { text: 'once' },
    effect: 'MEDIUM_RISK_WRITE',
    ports: [],
    seen: () => times(textAt(at('heard')), 'tools/call'),
    close: async () => {
      await executor.close?.()
      remove()
    },
  }
}

const letter = { from: 'billing@kestrel.example', to: 'ann@example.com', subject: 'Hello', text: 'Hello' } as const

async function mail(): Promise<World> {
  const login = { user: 'desk', pass: 'open sesame' }
  const server = await smtpServer({ tls: 'starttls', login })
  const smtp = { host: 'api.proviso.test', port: server.port, security: 'starttls', network, ...asCredentials } as const
  return {
    executor: email({ ...letter, recipients: ['example.com'], smtp }),
    args: {},
    effect: 'HIGH_RISK_EXTERNAL',
    ports: [server.port],
    credentials: new Map([['pass', login.pass]]),
    seen: () => server.mails.length,
    close: () => server[Symbol.asyncDispose](),
  }
}

const asCredentials = { user: 'desk', password: '{credential:pass}' }

function draft(): World {
  const { at, remove } = folder()
  const stage = folderStage(at('outbox'))
  let staged = 0
  return {
    executor: email({
      ...letter,
      draft: {
        async put(made, mayAct) {
          const name = await stage.put(made, mayAct)
          if (existsSync(at(`outbox/${name}`))) staged++
          return name
        },
      },
    }),
    args: {},
    effect: 'MEDIUM_RISK_WRITE',
    ports: [],
    seen: () => staged,
    close: remove,
  }
}

function program(lines: string, given: Partial<ProcessOptions>, args: JsonObject): World {
  const programs = makePrograms()
  const { at, remove } = folder()
  writeFileSync(at('book'), '')
  chmodSync(at('book'), 0o666)
  const options = { program: programs.program('enter', `${lines} >> ${at('book')}`), ...given }
  return {
    executor: runProcess({ ...options, isolation: 'none', network: false, output: 'text' }),
    args,
    effect: 'MEDIUM_RISK_WRITE',
    ports: [],
    seen: () => times(textAt(at('book')), 'entered'),
    close: () => {
      programs.remove()
      remove()
    },
  }
}

type Operation = Omit<FileOptions, 'root'>

async function fileWorld(options: Operation, args: JsonObject, seen: (at: (name: string) => string) => boolean) {
  const { at, path, remove } = folder()
  mkdirSync(at('sub'))
  appendFileSync(at('a.txt'), 'old')
  let given = args
  if (options.operation === 'restore') {
    const removed = await file({ root: path, operation: 'delete' }).run({ path: 'a.txt' }, executionContext())
    given = { trash_id: (removed as { readonly trash_id: string }).trash_id }
  }
  return {
    executor: file({ root: path, ...options }),
    args: given,
    effect: 'MEDIUM_RISK_WRITE' as const,
    ports: [],
    seen: () => (seen(at) ? 1 : 0),
    close: remove,
  }
}

async function pool(databaseUrl: () => Promise<string>): Promise<World> {
  const connections = new pg.Pool({ connectionString: await databaseUrl(), max: 2 })
  await connections.query('create table notes (note text)')
  const note = { name: 'note', access: 'write', text: "insert into notes values ('entered')" } as const
  const other = { name: 'other', access: 'write', text: "update notes set note = 'entered, and changed'" } as const
  let found = 0
  return {
    executor: sql({ database: { pool: connections }, statements: [note, other] }),
    args: {},
    effect: 'MEDIUM_RISK_WRITE',
    ports: [],
    async seen() {
      found = (await connections.query('select 1 from notes')).rows.length
      return found
    },
    close: () => connections.end(),
  }
}

export const worldRows: readonly WorldRow[] = [
  { name: 'a request over TLS', looks: 1, open: request },
  { name: 'a call of an MCP server over HTTP', looks: 2, open: mcpOverHttp },
  { name: 'a call of an MCP server on its standard input', looks: 1, open: mcpOnPipes },
  // Before its envelope, before its only piece, and before the line that ends it.
  { name: 'a mail', looks: 3, open: mail },
  { name: 'a draft', looks: 2, open: draft },
  { name: 'a program', looks: 1, open: () => program('echo entered', {}, {}) },
  {
    name: 'a program that acts on its input',
    looks: 2,
    unknownAt: 2,
    open: () => program('cat', { stdin: '/text' }, { text: 'entered' }),
  },
  {
    name: 'a file that is made',
    looks: 1,
    open: () => fileWorld({ operation: 'write' }, { path: 'b.txt', content: 'x' }, (at) => existsSync(at('b.txt'))),
  },
  {
    name: 'a file that is added to',
    looks: 1,
    open: () =>
      fileWorld({ operation: 'append' }, { path: 'a.txt', content: 'x' }, (at) => textAt(at('a.txt')) !== 'old'),
  },
  {
    name: 'a file that is deleted',
    looks: 1,
    open: () => fileWorld({ operation: 'delete' }, { path: 'a.txt' }, (at) => !existsSync(at('a.txt'))),
  },
  {
    name: 'a file that is moved',
    looks: 1,
    open: () =>
      fileWorld({ operation: 'move' }, { path: 'a.txt', to: 'sub/a.txt' }, (at) => existsSync(at('sub/a.txt'))),
  },
  {
    name: 'a file that is restored',
    looks: 1,
    open: () => fileWorld({ operation: 'restore' }, {}, (at) => existsSync(at('a.txt'))),
  },
  { name: 'two statements and their commit', looks: 3, open: pool },
]
