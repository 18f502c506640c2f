// The doubles of the table for the mcp executor: a server over HTTP for each revision, and a program. Each does the deed of a call or leaves
// it, and then answers as it is told. A double that is told what a call wants in several legs does its deed in one of them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Executor } from '../../src/index.ts'
import { mcp } from '../../src/public/executors.ts'
import { executionContext } from '../../test/execute/execution-context.ts'
import {
  type DeedCall,
  type DeedServer,
  type DeedServerOptions,
  deedServer,
  errorOf,
  oneText,
  resultOf,
  type Said,
} from '../../test/execute/mcp-servers/deed-server.ts'
import type { Deed, EffectCase } from './effect-table.ts'

export type Revision = DeedServerOptions['revision']

export const revisions: readonly Revision[] = ['2025', '2026-07-28']

export interface McpPlay {
  readonly answer: (call: DeedCall) => Said | Promise<Said>
  readonly other?: DeedServerOptions['onOther']
  /** From which request on it does the deed; the first by default. */
  readonly deedAt?: number
  /** The deed belongs to the leg that brings the state of an earlier one, and otherwise to the first. */
  readonly deedLater?: true
}

export interface McpStage {
  readonly ports: readonly number[]
  seen(): number
  /** One answer over HTTP. */
  over(revision: Revision, name: string, play: McpPlay, timeoutMs?: EffectCase['timeoutMs']): EffectCase
  /** One answer of the program, by its name there. */
  piped(way: string, timeoutMs?: EffectCase['timeoutMs']): EffectCase
  close(): Promise<void>
}

const program = fileURLToPath(new URL('../../test/execute/mcp-servers/hostile.ts', import.meta.url))

export async function openMcpStage(): Promise<McpStage> {
  let play: McpPlay = { answer: () => [] }
  let deed: Deed = 'left'
  let before = 0
  let seen = () => 0
  const servers = new Map<Revision, DeedServer>()
  for (const revision of revisions) {
    const server = await deedServer({
      revision,
      session: true,
      onOther: (method, params) => play.other?.(method, params),
      onCall: (call) => {
        const nth = server.calls() - before
        const isLater = call.params.requestState !== undefined
        if (deed === 'done' && nth >= (play.deedAt ?? 1) && isLater === (play.deedLater ?? false)) call.deed()
        return play.answer({ ...call, nth })
      },
    })
    servers.set(revision, server)
  }
  const serverOf = (revision: Revision) => servers.get(revision) as DeedServer
  const executors = new Map(
    revisions.map((revision) => [revision, mcp({ server: { url: serverOf(revision).url, revision }, tool: 'act' })]),
  )
  const folder = mkdtempSync(join(tmpdir(), 'proviso-deeds-'))
  const book = join(folder, 'deeds')
  const programs: Executor[] = []
  return {
    ports: [...servers.values()].map(({ port }) => port),
    seen: () => seen(),
    over(revision, name, next, timeoutMs) {
      const server = serverOf(revision)
      return {
        name: `${revision}: ${name}`,
        executor: executors.get(revision) as Executor,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        async arrange(does) {
          deed = 'left'
          play = { answer: (call) => said(call, done) }
          if (timeoutMs !== undefined) await warm(executors.get(revision) as Executor, server.port)
          play = next
          deed = does
          before = server.calls()
          const deedsBefore = server.deeds()
          seen = () => server.deeds() - deedsBefore
        },
      }
    },
    piped(way, timeoutMs) {
      const server = { command: [process.execPath, program, way], env: { DEEDS: book }, network: false }
      const executor = mcp({ server, tool: 'act', maxResponseBytes: 50_000 })
      programs.push(executor)
      return {
        name: `a program: ${way}`,
        executor,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        args: { deed: true },
        async arrange(does) {
          if (timeoutMs !== undefined) await warm(executor)
          writeFileSync(book, does === 'done' ? '' : 'left\n')
          seen = () => readFileSync(book, 'utf8').split('done').length - 1
        },
      }
    },
    async close() {
      await Promise.all([...executors.values(), ...programs].map((executor) => executor.close?.()))
      await Promise.all([...servers.values()].map((server) => server.close()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A short time is for what comes back, and not for a connection that is still to be opened. */
async function warm(executor: Executor, port?: number): Promise<void> {
  const connections = { ports: port === undefined ? [] : [port], loopback: true, plain: false }
  const egress = { policy: 'private_network_only' as const, domains: [], connections }
  await executor.run({ warm: true }, executionContext({ egress, timeoutMs: 20_000 }))
}

export const complete = { resultType: 'complete' }
export const done = oneText('done')
export const said = ({ id }: DeedCall, result: object): readonly object[] => [resultOf(id, { ...complete, ...result })]
export const raw = ({ id }: DeedCall, result: unknown): readonly object[] => [{ jsonrpc: '2.0', id, result }]
export const failed = ({ id }: DeedCall, code: number, message = 'no', data?: unknown): readonly object[] => [
  errorOf(id, code, message, data),
]
