import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defineTool, loadContracts, openProviso } from '../../src/index.ts'
import type { JsonObject, JsonValue } from '../../src/json/value.ts'
import { memory } from '../../src/ledger/index.ts'
import { http } from '../../src/public/executors.ts'
import { approveAs, people } from '../people.ts'
import { answerJson, localServer } from './local-server.ts'
import { failureOf, runExecutor, trialEgress } from './run-executor.ts'
import { testCertificate } from './test-certificate.ts'

const orderInput = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    note: { type: 'string' },
    lines: { type: 'array', items: { type: 'integer' } },
  },
  required: ['id'],
  additionalProperties: false,
} as const

describe('the http executor', () => {
  it('sends what the templates say', async () => {
    await using server = await localServer(answerJson({ ok: true }))
    const executor = http({
      method: 'PUT',
      url: `${server.origin}/orders/{id}`,
      headers: { Authorization: 'Bearer {credential:key}', 'X-Note': '{note}', 'X-Fixed': 'yes' },
      json: true,
    })
    const credentials = new Map([['key', 'secret-value']])
    const egress = trialEgress([server.port])
    await runExecutor(executor, { id: 'a b', lines: [1, 2] }, { egress, credentials, keyHeader: 'Idempotency-Key' })
    expect(server.seen).toMatchObject([
      {
        method: 'PUT',
        url: '/orders/a%20b',
        body: '{"lines":[1,2]}',
        headers: {
          authorization: 'Bearer secret-value',
          'x-fixed': 'yes',
          'content-type': 'application/json',
          'idempotency-key': 'key-1',
        },
      },
    ])
    expect(server.seen[0]?.headers).not.toHaveProperty('x-note')
  })

  it('fills a JSON body by its shape, values in their own types', async () => {
    await using server = await localServer(answerJson({ ok: true }))
    const json = {
      order: { id: '{id}', text: 'Order {id}!', lines: '{lines}', note: '{note}', fixed: [1, '{id}', null] },
    }
    await runExecutor(
      http({ method: 'POST', url: `${server.origin}/`, json }),
      { id: 'o1', lines: [1, 2] },
      { egress: trialEgress([server.port]) },
    )
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({
      order: { id: 'o1', text: 'Order o1!', lines: [1, 2], fixed: [1, 'o1', null] },
    })
  })

  it('keeps null where a value of a JSON body stands, and sends no body for one that is absent', async () => {
    await using server = await localServer(answerJson({ ok: true }))
    const egress = trialEgress([server.port])
    const post = (json: JsonValue, args: JsonObject) =>
      runExecutor(http({ method: 'POST', url: `${server.origin}/`, json }), args, { egress })
    await post({ note: '{note}' }, { note: null })
    await post('{body}', { body: { note: null } })
    await post('{body}', {})
    expect(server.seen.map(({ body }) => body)).toEqual(['{"note":null}', '{"note":null}', ''])
    expect(server.seen[2]?.headers).not.toHaveProperty('content-type')
  })

  it('submits a form, and never below HIGH_RISK_EXTERNAL [TC-289]', async () => {
    await using server = await localServer((_seen, response) => response.writeHead(204).end())
    const executor = http({ method: 'POST', url: `${server.origin}/`, form: true })
    expect(executor.leastEffect).toBe('HIGH_RISK_EXTERNAL')
    expect(await runExecutor(executor, { a: 'x&y=z', b: [1, 2] }, { egress: trialEgress([server.port]) })).toBeNull()
    expect(server.seen[0]).toMatchObject({
      body: 'a=x%26y%3Dz&b=1&b=2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  })

  it.each([
    ['application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['application/problem+json', '[1]', [1]],
    ['application/json', '{"id":12345678901234567890,"n":1.5}', { id: '12345678901234567890', n: 1.5 }],
    ['text/plain', 'hello', 'hello'],
    ['text/csv; charset=iso-8859-1', Buffer.from([0xfc]), 'ü'],
    ['application/json', '', null],
  ])('reads %s', async (type, body, value) => {
    await using server = await localServer((_seen, response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    )
    const executor = http({ method: 'GET', url: `${server.origin}/` })
    expect(await runExecutor(executor, {}, { egress: trialEgress([server.port]) })).toEqual(value)
  })

  it.each([
    ['application/json', '{"a":', 'response_not_json'],
    ['application/octet-stream', 'x', 'response_type'],
    ['application/json', Buffer.from([0x22, 0xff, 0x22]), 'response_encoding'],
  ])('says that the deed is done where only its report cannot be read: %s', async (type, body, code) => {
    await using server = await localServer((_seen, response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    )
    const executor = http({ method: 'POST', url: `${server.origin}/`, json: true })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]) }))
    expect([failure.code, failure.effect]).toEqual([code, 'happened'])
  })

  it('gives the whole response where it is asked for', async () => {
    await using server = await localServer((_seen, response) =>
      response
        .writeHead(201, { location: '/orders/7', etag: '"1"', 'set-cookie': 'a=b', 'content-type': 'text/plain' })
        .end('made'),
    )
    const executor = http({ method: 'POST', url: `${server.origin}/`, json: true, result: 'response' })
    expect(await runExecutor(executor, {}, { egress: trialEgress([server.port]) })).toEqual({
      status: 201,
      headers: { 'content-type': 'text/plain', etag: '"1"', location: '/orders/7' },
      body: 'made',
    })
  })

  it('reads a head without a body, however that is said to be packed', async () => {
    await using server = await localServer((_seen, response) =>
      response.writeHead(200, { etag: '"7"', 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(),
    )
    const executor = http({ method: 'HEAD', url: `${server.origin}/`, result: 'response' })
    expect(await runExecutor(executor, {}, { egress: trialEgress([server.port]) })).toMatchObject({
      headers: { etag: '"7"' },
      body: null,
    })
  })

  it('says how long the server wants to be left alone', async () => {
    await using server = await localServer((_seen, response) => response.writeHead(429, { 'retry-after': '7' }).end())
    const executor = http({ method: 'POST', url: `${server.origin}/`, json: true })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]) }))
    expect(failure).toMatchObject({ code: 'http_429', effect: 'none', class: 'RATE_LIMITED', retryAfterMs: 7_000 })
  })

  it('keeps the name of the host for TLS, and believes no other certificate', async () => {
    await using server = await localServer(answerJson({ secure: true }), { tls: true })
    const egress = trialEgress([server.port])
    const network = { resolve: async () => [{ address: '127.0.0.1', family: 4 }], ca: testCertificate }
    const ask = (host: string, more = {}) =>
      runExecutor(
        http({ method: 'POST', url: `https://${host}:${server.port}/`, json: true, network: { ...network, ...more } }),
        {},
        { egress },
      )
    expect(await ask('api.proviso.test')).toEqual({ secure: true })
    for (const failure of [
      await failureOf(ask('other.proviso.test')),
      await failureOf(ask('api.proviso.test', { ca: undefined })),
    ])
      expect([failure.code, failure.effect]).toEqual(['connect_failed', 'none'])
    expect(server.seen).toHaveLength(1)
  })
})

describe('what a lost connection proves', () => {
  it('is that nothing was sent, where none was made [TC-185]', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const executor = http({ method: 'POST', url: `http://127.0.0.1:${port}/`, json: true })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([port]) }))
    expect(failure).toMatchObject({ code: 'connect_failed', effect: 'none', class: 'DEPENDENCY_UNAVAILABLE' })
  })

  it('is nothing, once the request was written [TC-185, TC-441]', async () => {
    await using server = await localServer((_seen, _response, request) => request.socket.destroy())
    const egress = trialEgress([server.port])
    const post = http({ method: 'POST', url: `${server.origin}/`, json: true })
    expect(await failureOf(runExecutor(post, {}, { egress }))).toMatchObject({
      code: 'connection_lost',
      effect: 'unknown',
    })
    const get = http({ method: 'GET', url: `${server.origin}/` })
    expect(await failureOf(runExecutor(get, {}, { egress }))).toMatchObject({ code: 'connection_lost', effect: 'none' })
  })

  it('is nothing, where the server goes over to another protocol unasked', async () => {
    const server = createServer((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 101 No\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n')),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const executor = http({ method: 'POST', url: `http://127.0.0.1:${port}/`, json: true })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([port]) }))
    expect(failure).toMatchObject({ code: 'connection_lost', effect: 'unknown' })
    await new Promise((resolve) => server.close(resolve))
  })

  it('is nothing, where the call was given up while the server was thinking', async () => {
    await using server = await localServer(() => undefined)
    const controller = new AbortController()
    const executor = http({ method: 'POST', url: `${server.origin}/`, json: true })
    const failing = failureOf(
      runExecutor(executor, {}, { egress: trialEgress([server.port]), signal: controller.signal }),
    )
    await expect.poll(() => server.seen.length).toBe(1)
    controller.abort()
    expect(await failing).toMatchObject({ code: 'canceled', effect: 'unknown' })
  })

  it('costs a read nothing, where a kept connection was closed at its other end', async () => {
    await using server = await localServer((seen, response, request) => {
      answerJson({ ok: true })(seen, response, request)
      // Closed after the answer, without a word.
      response.on('finish', () => setImmediate(() => request.socket.destroy()))
    })
    const executor = http({ method: 'GET', url: `${server.origin}/` })
    const egress = trialEgress([server.port])
    for (let round = 0; round < 5; round++) expect(await runExecutor(executor, {}, { egress })).toEqual({ ok: true })
  })
})

describe('a tool over HTTP', () => {
  const toolFor = (port: number, changes = {}) =>
    defineTool({
      name: 'update_order_v1',
      description: 'Updates one order and nothing else.',
      effect: 'MEDIUM_RISK_WRITE',
      input: orderInput,
      trusted: true,
      egress: 'allowlisted_domains',
      egressDomains: ['127.0.0.1'],
      connections: { loopback: true, ports: [port] },
      keyHeader: 'Idempotency-Key',
      executor: http({ method: 'POST', url: `http://127.0.0.1:${port}/orders/{id}`, json: true }),
      executorVersion: 'build-7',
      ...changes,
    })
  const context = { tenant: 'acme', user: 'ann', run: 'run-1' }

  it('is called through the whole pipeline, with its key [TC-175]', async () => {
    await using server = await localServer(answerJson({ done: true }))
    const source = toolFor(server.port)
    expect(source.binding.executor.version).toBe('build-7')
    const proviso = await openProviso({ tools: [source] })
    const answer = await proviso.call({ tool: 'update_order_v1', arguments: '{"id":"1","note":"n"}' }, context)
    expect([answer.value, answer.effect]).toEqual([{ done: true }, 'happened'])
    expect(server.seen[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{64}$/)
    await proviso.close()
  })

  it('is answered by the class of its status, or by what its contract makes of it [TC-103, TC-316]', async () => {
    await using server = await localServer((_seen, response) => response.writeHead(409).end())
    const proviso = await openProviso({
      tools: [
        toolFor(server.port),
        toolFor(server.port, { name: 'pay_order_v1', errors: { http_409: 'BUDGET_EXHAUSTED' } }),
      ],
    })
    const statusOf = async (tool: string) => {
      const { observation, effect } = await proviso.call({ tool, arguments: '{"id":"1"}' }, context)
      return [observation.status.taxonomy_class, effect]
    }
    expect(await statusOf('update_order_v1')).toEqual(['STALE_STATE', 'none'])
    expect(await statusOf('pay_order_v1')).toEqual(['BUDGET_EXHAUSTED', 'none'])
    await proviso.close()
  })

  it('is given up at the time of its contract [TC-103]', async () => {
    await using server = await localServer((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    })
    const proviso = await openProviso({ tools: [toolFor(server.port, { timeoutMs: 150 })] })
    const answer = await proviso.call({ tool: 'update_order_v1', arguments: '{"id":"1"}' }, context)
    expect([answer.observation.status.taxonomy_class, answer.effect]).toEqual(['TIMEOUT', 'unknown'])
    await proviso.close()
  })

  it('is refused where its class is not what it does', async () => {
    const registered = (changes: object) => openProviso({ tools: [toolFor(443, changes)] })
    await expect(registered({ effect: 'READ_ONLY' })).rejects.toThrow('effect-below-executor')
    await expect(
      registered({ executor: http({ method: 'GET', url: 'https://api.example.com/{id}' }) }),
    ).rejects.toThrow('change-by-a-read')
    await expect(registered({ egress: 'none' })).rejects.toThrow('connects-without-egress')
    await expect(registered({ egressDomains: [] })).rejects.toThrow('no-domains-listed')
    await expect(registered({ recovery: { providerWindowMs: 1_000 }, keyHeader: undefined })).rejects.toThrow(
      'key-reaches-nobody',
    )
    await expect(
      registered({ executor: http({ method: 'POST', url: 'https://127.0.0.1/', form: true }) }),
    ).rejects.toThrow('effect-below-executor')
  })

  it('is not run by another build than the one that was approved', async () => {
    await using server = await localServer(answerJson({ done: true }))
    const ledger = memory()
    const opened = (executorVersion: string) =>
      openProviso({ ledger, identity: people, tools: [toolFor(server.port, { confirm: true, executorVersion })] })
    const [older, newer] = [await opened('build-7'), await opened('build-8')]
    const effectAfterApproval = async (run: string, proviso: typeof older) => {
      const proposal = { tool: 'update_order_v1', arguments: '{"id":"1"}', callId: 'c1' }
      const asked = await older.call(proposal, { ...context, run })
      await approveAs(older, asked.approval?.id ?? '', 'bob')
      return (await proviso.call(proposal, { ...context, run })).effect
    }
    expect(await effectAfterApproval('run-1', older)).toBe('happened')
    expect(await effectAfterApproval('run-2', newer)).toBe('pending')
    expect(server.seen).toHaveLength(1)
    await older.close()
  })

  it('has one way to run, not two and not none', () => {
    expect(() => toolFor(443, { execute: () => ({}) })).toThrow('either execute or executor')
    expect(() => toolFor(443, { executor: undefined })).toThrow('either execute or executor')
  })

  it('may be a file', async () => {
    await using server = await localServer(answerJson({ name: 'Ann' }))
    const folder = await mkdtemp(join(tmpdir(), 'proviso-http-'))
    const { contract } = toolFor(server.port)
    const read = {
      ...contract,
      identity: { ...contract.identity, name: 'get_order_v1' },
      transactional: { ...contract.transactional, side_effect_class: 'READ_ONLY', semantics: 'read_only' },
      idempotency: { ...contract.idempotency, supported: false, required: false, key_header: null },
    }
    const binding = {
      executor: {
        kind: 'http',
        method: 'GET',
        url: `${server.origin}/orders/{id}`,
        query: { note: '{note}' },
        version: '7',
      },
      egress_domains: ['127.0.0.1'],
      connections: { loopback: true, ports: [server.port] },
    }
    await writeFile(join(folder, 'get.tool.json'), JSON.stringify({ contract: read, binding }))
    const tools = await loadContracts(folder)
    expect(tools[0]?.binding.executor.version).toBe('7')
    const proviso = await openProviso({ tools })
    expect((await proviso.call({ tool: 'get_order_v1', arguments: '{"id":"1","note":"a b"}' })).value).toEqual({
      name: 'Ann',
    })
    expect(server.seen[0]?.url).toBe('/orders/1?note=a%20b')
    await proviso.close()
    await writeFile(
      join(folder, 'get.tool.json'),
      JSON.stringify({
        contract: read,
        binding: { executor: { kind: 'http', method: 'GET', url: 'https://{host}/' } },
      }),
    )
    await expect(loadContracts(folder)).rejects.toThrow('#/binding/executor')
  })
})
