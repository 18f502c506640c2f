// Tools of MCP servers through the whole pipeline, from code and from a tool file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Contract,
  defineTool,
  type EffectClass,
  loadContracts,
  type McpOptions,
  openProviso,
  type Proviso,
} from '../../src/index.ts'
import { mcp } from '../../src/public/executors.ts'

const stdioServer = fileURLToPath(new URL('./mcp-servers/stdio.ts', import.meta.url))
const hostileServer = fileURLToPath(new URL('./mcp-servers/hostile.ts', import.meta.url))
const command = [process.execPath, stdioServer]

const input = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  additionalProperties: false,
} as const

const tool = (name: string, effect: EffectClass, executor: ReturnType<typeof mcp>, output = {}) =>
  defineTool({ name, description: 'A tool of a server.', effect, input, output, executor, trusted: true })

const sum = { type: 'object', required: ['sum'], properties: { sum: { type: 'number' } }, additionalProperties: false }
const hostile = (way: string) =>
  mcp({ server: { command: [process.execPath, hostileServer, way], network: false }, tool: 'act' })

const add = tool('add_v1', 'READ_ONLY', mcp({ server: { command, network: false }, tool: 'add' }), sum)
const fail = tool('fail_v1', 'LOW_RISK_INTERNAL', mcp({ server: { command, network: false }, tool: 'fail' }))
const gone = tool('gone_v1', 'LOW_RISK_INTERNAL', mcp({ server: { command, network: false }, tool: 'no_such_tool' }))
const dies = tool('dies_v1', 'LOW_RISK_INTERNAL', hostile('dies'))
const lies = tool('lies_v1', 'LOW_RISK_INTERNAL', hostile('bad-structure'), sum)

let proviso: Proviso
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-mcp-'))
  proviso = await openProviso({ tools: [add, fail, gone, dies, lies] })
})
afterAll(async () => {
  await proviso.close()
  await rm(folder, { recursive: true, force: true })
})

const call = (name: string, args = {}) =>
  proviso.call({ tool: name, arguments: args, callId: name }, { tenant: 'acme', user: 'ada', run: 'run-1' })

describe('a tool of an MCP server', () => {
  it('answers by its contract', async () => {
    expect(await call('add_v1', { a: 1, b: 2 })).toMatchObject({ effect: 'none', value: { sum: 3 } })
  })

  it('that fails after it was called may have had its effect, with any hints of the server [EP-38]', async () => {
    expect(await call('fail_v1')).toMatchObject({ effect: 'unknown' })
    expect(await call('dies_v1')).toMatchObject({ effect: 'unknown' })
  })

  it('that is not there had none', async () => {
    expect(await call('gone_v1')).toMatchObject({
      effect: 'none',
      observation: { status: { taxonomy_class: 'DEPENDENCY_UNAVAILABLE' } },
    })
  })

  it('whose result does not fit the contract has had its effect, and its result is not passed on [TC-008, TC-330]', async () => {
    expect(await call('lies_v1')).toMatchObject({
      effect: 'happened',
      observation: { status: { taxonomy_class: 'OBSERVATION_NORMALIZATION_FAIL' } },
    })
  })

  it('is declared in a tool file as in code', async () => {
    const executor = {
      kind: 'mcp',
      server: { command, network: false, stateless: true, env: { A: 'b' } },
      tool: 'add',
      max_response_bytes: 100_000,
    }
    const path = join(folder, 'add.tool.json')
    await writeFile(path, JSON.stringify({ contract: add.contract, binding: { executor, trusted: true } }))
    const loaded = await openProviso({ tools: await loadContracts(path) })
    const answer = await loaded.call({ tool: 'add_v1', arguments: { a: 20, b: 22 } })
    expect(answer.value).toEqual({ sum: 42 })
    await loaded.close()
  })

  it('of a program is refused under every policy that would have to be watched [unwatched-programs-refused]', async () => {
    const base = {
      name: 'add_v1',
      description: 'Adds.',
      effect: 'READ_ONLY',
      input,
      egressDomains: ['a.example'],
    } as const
    const registered = (egress: Contract['security']['egress_policy'], server: McpOptions['server']) =>
      openProviso({ tools: [defineTool({ ...base, egress, executor: mcp({ server, tool: 'add' }) })] })
    for (const egress of ['none', 'private_network_only', 'allowlisted_domains'] as const) {
      await expect(registered(egress, { command })).rejects.toThrow('connections-not-watched')
      await (await registered(egress, { command, network: false })).close()
    }
    await (await registered('unrestricted_with_approval', { command })).close()
    await (await registered('allowlisted_domains', { url: 'https://a.example/mcp' })).close()
  })

  it('is refused in a tool file where its server cannot be one', async () => {
    const path = join(folder, 'bad.tool.json')
    const executor = { kind: 'mcp', server: { url: 'ftp://example.com' }, tool: 'add' }
    await writeFile(path, JSON.stringify({ contract: add.contract, binding: { executor } }))
    await expect(loadContracts(path)).rejects.toThrow(/bad\.tool\.json#\/binding\/executor: A server is found by a URL/)
  })
})
