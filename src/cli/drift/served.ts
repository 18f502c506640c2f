// Asks a source for what it serves now: the list of an MCP server, raw, or a document. Nothing is called, and nothing is believed.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Egress } from '../../contract/tool/executor.ts'
import { readPublished } from '../../drift/pins/read-published.ts'
import { readServed } from '../../drift/pins/read-served.ts'
import type { SourceSnapshot } from '../../drift/snapshot.ts'
import { guardedFetch } from '../../execute/egress/guarded-fetch.ts'
import type { JsonObject } from '../../json/value.ts'
import { foundAt } from '../../runtime/file-at.ts'
import { parsePublished } from '../diff/published.ts'
import type { Terminal } from '../terminal.ts'
import type { SourcePlace } from './source-place.ts'

export type Served =
  | { readonly ok: true; readonly source: SourceSnapshot }
  | { readonly ok: false; readonly message: string }

const maxBytes = 64 * 1_048_576
const timeoutMs = 60_000

export async function fetchServed(place: SourcePlace, capabilities: JsonObject, terminal: Terminal): Promise<Served> {
  try {
    switch (place.kind) {
      case 'file':
        return await readFileOf(resolve(terminal.folder, place.file))
      case 'document':
        return await fetchDocument(place.url, place.headers)
      case 'program':
      case 'server':
        return await askServer(place, capabilities, terminal)
    }
  } catch (error) {
    return failed(error instanceof Error ? (error.message.split('\n')[0] ?? '') : 'it cannot be read')
  }
}

async function askServer(
  place: Extract<SourcePlace, { kind: 'program' | 'server' }>,
  capabilities: JsonObject,
  { folder }: Terminal,
): Promise<Served> {
  // An optional peer: that it is not there is told as what to install.
  const peer = await import('@modelcontextprotocol/client').catch(() => undefined)
  if (peer === undefined) return failed('MCP servers need @modelcontextprotocol/client: npm install it.')
  const names =
    place.kind === 'program' ? place.env.map((name) => [name, name] as const) : Object.entries(place.headers)
  const named = valuesOf(names)
  if (!named.ok) return named
  // Handed over as secrets are: no text of theirs is read as a template.
  const slots = Object.keys(named.values).map((name, index) => [name, `v${index}`] as const)
  const credentials = new Map(slots.map(([name, slot]) => [slot, named.values[name] ?? '']))
  const templates = Object.fromEntries(slots.map(([name, slot]) => [name, `{credential:${slot}}`]))
  const { servedTools } = await import('../../execute/executors/mcp/list-tools.ts')
  const server =
    place.kind === 'program'
      ? { command: place.command, env: templates, cwd: folder }
      : { url: place.url, headers: templates }
  const egress = egressTo(place.kind === 'program' ? undefined : place.url)
  const tools = await servedTools({ server, credentials, egress, capabilities, timeoutMs, maxBytes })
  const source = readServed(tools)
  return source === undefined ? failed('it lists no tools') : { ok: true, source }
}

async function fetchDocument(url: string, headers: Readonly<Record<string, string>>): Promise<Served> {
  const named = valuesOf(Object.entries(headers))
  if (!named.ok) return named
  const fetch = guardedFetch(egressTo(url))
  const response = await fetch(url, {
    headers: named.values,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (response.status !== 200) return failed(`it answers with the status ${response.status}`)
  return readText(await response.text(), url)
}

async function readFileOf(path: string): Promise<Served> {
  const found = await foundAt(path)
  if (found?.isFile() !== true) return failed('there is no such file')
  if (found.size > maxBytes) return failed(`it is larger than ${maxBytes} bytes`)
  return readText(await readFile(path, 'utf8'))
}

async function readText(text: string, url?: string): Promise<Served> {
  const parsed = await parsePublished(text)
  if (!parsed.ok) return failed(parsed.message)
  const reading = readPublished(parsed.value, url)
  return reading.ok ? { ok: true, source: reading.source } : failed(reading.message)
}

type Values = { readonly ok: true; readonly values: Readonly<Record<string, string>> } | Extract<Served, { ok: false }>

/** By name, from the variables of this process's environment. */
function valuesOf(names: readonly (readonly [string, string])[]): Values {
  const values: Record<string, string> = {}
  for (const [name, variable] of names) {
    const value = process.env[variable]
    if (value === undefined) return { ok: false, message: `the environment variable ${variable} is not set` }
    values[name] = value
  }
  return { ok: true, values }
}

/** The person who typed the URL means it, also where it is local. */
function egressTo(url: string | undefined): Egress {
  const { hostname, port } = new URL(url ?? 'https://localhost')
  return {
    policy: 'unrestricted_with_approval',
    domains: [hostname],
    connections: { ports: port === '' ? [] : [Number(port)], loopback: true, plain: true },
  }
}

const failed = (message: string): Extract<Served, { ok: false }> => ({ ok: false, message })
