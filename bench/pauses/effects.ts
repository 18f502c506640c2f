// The world of the trials: servers, a folder and a table that tools of every kind change, counted without asking the ledger.
import { chmodSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { serveHttp } from '../../test/execute/mcp-servers/over-http.ts'
import { smtpServer } from '../../test/execute/smtp-server.ts'
import type { Site } from '../faults/site.ts'
import { type PauseKind, type Places, pauseKinds } from './kinds.ts'

export interface Effects {
  readonly places: Places
  /** What has to be there before the tool is called. */
  prepare(kind: PauseKind, op: string): void
  /** How often it was done. */
  fired(kind: PauseKind, op: string): Promise<number>
  close(): Promise<void>
}

export async function openEffects(site: Site): Promise<Effects> {
  const { folder } = site
  for (const name of ['fn', 'file', 'process']) mkdirSync(join(folder, name))
  // As root, programs run as a user of their own.
  chmodSync(join(folder, 'process'), 0o777)
  const program = join(folder, 'append-line')
  writeFileSync(program, '#!/bin/bash\nprintf \'%s\\n\' "$2" >> "$1/$2"\n')
  chmodSync(program, 0o755)

  const posted = new Map<string, number>()
  const booked = new Map<string, number>()
  const changed = new Map<string, number>()
  const mails = await smtpServer()
  const handler = createMcpHandler(() => bookServer((op) => count(booked, op)))
  const mcp = await serveHttp((request) => handler.fetch(request))
  // A file is put in place in one step, which is one event, also where it replaces what another process has just put there.
  const watcher = watch(join(folder, 'file'), (event, name) => {
    if (event === 'rename' && name !== null) count(changed, name)
  })

  const rows = async (op: string) => {
    const [row] = await site.query<{ n: number }>('select count(*)::integer as n from world.effects where op = $1', [
      op,
    ])
    return row?.n ?? 0
  }
  const counts: Readonly<Record<PauseKind, (op: string) => number | Promise<number>>> = {
    fn: (op) => linesOf(join(folder, 'fn', op)),
    http: (op) => posted.get(op) ?? 0,
    mcp: (op) => booked.get(op) ?? 0,
    process: (op) => linesOf(join(folder, 'process', op)),
    sql: rows,
    // The first is the file that was prepared.
    file: (op) => Math.max(0, (changed.get(op) ?? 0) - 1),
    email: (op) => mails.mails.filter(({ data }) => data.includes(`Subject: ${op}\r\n`)).length,
    sql_ledger: rows,
  }
  const isThere = async (kind: PauseKind, op: string) =>
    kind === 'file' ? readFileSync(join(folder, 'file', op), 'utf8').includes(op) : (await counts[kind](op)) > 0

  const server = createServer((request, response) => {
    const [, what, first = '', second = ''] = (request.url ?? '').split('/')
    request.resume().on('end', async () => {
      if (what === 'effects') count(posted, first)
      const kind = pauseKinds.find((name) => name === first)
      const there = what === 'there' && kind !== undefined && (await isThere(kind, second))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ there }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    places: {
      url: site.url,
      folder,
      program,
      httpPort: (server.address() as AddressInfo).port,
      mcpPort: mcp.port,
      smtpPort: mails.port,
    },
    prepare(kind, op) {
      // A file that is there can be replaced by both of two; one that is not would be made by the first alone.
      if (kind === 'file') writeFileSync(join(folder, 'file', op), '')
    },
    fired: async (kind, op) => counts[kind](op),
    async close() {
      watcher.close()
      await handler.close()
      await mcp.close()
      await mails[Symbol.asyncDispose]()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function count(counts: Map<string, number>, op: string): void {
  counts.set(op, (counts.get(op) ?? 0) + 1)
}

function linesOf(path: string): number {
  try {
    return readFileSync(path, 'utf8').split('\n').length - 1
  } catch {
    return 0
  }
}

function bookServer(book: (op: string) => void): McpServer {
  const server = new McpServer({ name: 'trials', version: '1.0.0' })
  server.registerTool('book', { inputSchema: z.object({ id: z.string() }) }, ({ id }) => {
    book(id)
    return { content: [{ type: 'text', text: id }] }
  })
  return server
}
