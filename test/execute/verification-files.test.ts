// Verifiers that a tool file declares: read by code of the file, or by an executor that only reads.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts, openProviso } from '../../src/index.ts'
import { classOf, context } from '../pipeline/bench-desk.ts'
import { enterPayment, openBooks, payment } from './books.ts'
import { answerJson, localServer } from './local-server.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-verifier-'))
  await writeFile(
    join(folder, 'code.mjs'),
    'export const run = ({ id }) => ({ entered: id })\nexport const read = ({ id }) => id === "gone" ? null : { id, amount: 12 }\n',
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const { contract } = enterPayment(openBooks(), 'LOW_RISK_INTERNAL')
const place = {
  source: 'books',
  target: { id: '/args/id' },
  expect: [
    { path: '/id', is: 'equals', from: '/args/id', about: 'target' },
    { path: '/amount', is: 'equals', from: '/args/amount', about: 'amount' },
  ],
}

async function load(name: string, binding: object, security: object = {}) {
  const file = join(folder, `${name}.tool.json`)
  const own = { ...contract, security: { ...contract.security, ...security } }
  const executor = { kind: 'fn', module: './code.mjs', export: 'run' }
  await writeFile(file, JSON.stringify({ contract: own, binding: { executor, trusted: true, ...binding } }))
  return loadContracts(file)
}

describe('a tool file', () => {
  it('declares what is read back and when [predicates-decide] [tool-files-load]', async () => {
    const [tool] = await load('code', {
      verifier: { ...place, read: { module: './code.mjs', export: 'read' }, creates: true },
      verification: { delay_seconds: 0, times: 3, every_seconds: 2 },
    })
    expect(tool?.binding.verifier).toMatchObject({ delayMs: 0, again: { times: 3, everyMs: 2_000 } })
    const proviso = await openProviso({ tools: [tool].filter((one) => one !== undefined), sweepMs: 3_600_000 })
    const answer = await proviso.call(payment('c1'), context)
    expect([classOf(answer), (await proviso.calls.list())[0]?.verification?.state]).toEqual(['SUCCESS', 'VERIFIED'])
    await proviso.call(payment('c2', 'gone'), context)
    expect((await proviso.calls.list())[0]?.verification?.state).toBe('PENDING')
    await proviso.close()
  })

  it('reads with an executor of its own, for which 404 means that there is no such thing', async () => {
    let status = 200
    await using server = await localServer((seen, response, request) => {
      if (status === 200) return answerJson({ id: 'p-1', amount: '12.00' })(seen, response, request)
      response.writeHead(status).end()
    })
    const read = { kind: 'http', method: 'GET', url: `${server.origin}/payments/{id}` }
    const binding = {
      verifier: { ...place, read },
      egress_domains: ['127.0.0.1'],
      connections: { loopback: true, ports: [server.port] },
    }
    const tools = await load('http', binding, { egress_policy: 'allowlisted_domains' })
    const proviso = await openProviso({ tools })
    const found = await proviso.call(payment('c1'), context)
    expect(classOf(found)).toBe('SUCCESS')
    expect(server.seen[0]?.url).toBe('/payments/p-1')
    status = 404
    await proviso.call(payment('c2', 'p-2'), context)
    const [missing] = await proviso.calls.list()
    expect(missing?.verification).toMatchObject({ state: 'FAILED', discrepancy: 'target_missing' })
    status = 500
    await proviso.call(payment('c3', 'p-3'), context)
    expect((await proviso.calls.list())[0]?.verification).toMatchObject({ state: 'UNVERIFIABLE' })
    await proviso.close()
  })

  it('is refused with the place where its verifier cannot be taken', async () => {
    const read = { kind: 'http', method: 'GET', url: 'https://{host}/' }
    await expect(load('bad', { verifier: { ...place, read } })).rejects.toThrow('#/binding/verifier/read')
    await expect(
      load('bad', { verifier: [{ ...place, read: { module: './none.mjs', export: 'x' } }] }),
    ).rejects.toThrow('#/binding/verifier/0/read')
    await expect(load('bad', { verifier: { ...place, read, expect: [{ path: '/a', is: 'like' }] } })).rejects.toThrow(
      '/binding/verifier',
    )
  })
})
