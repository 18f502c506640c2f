// context.fetch: the web's fetch for functions of tools, held to the contract of the call.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { defineTool, openProviso, ToolError } from '../../src/index.ts'
import { FetchError } from '../../src/public/executors.ts'
import { answerJson, localServer } from './local-server.ts'
import { trialContext, trialEgress } from './run-executor.ts'

const fetching = (port: number) => trialContext({ egress: trialEgress([port]) }).fetch

describe('context.fetch', () => {
  it('is the fetch that people know', async () => {
    await using server = await localServer((seen, response) => {
      if (seen.url === '/packed')
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(gzipSync('hello'))
      else
        response.writeHead(201, 'Made', { 'content-type': 'application/json', 'x-two': ['a', 'b'] }).end('{"ok":true}')
    })
    const fetch = fetching(server.port)
    const made = await fetch(`${server.origin}/a?b=c#d`, {
      method: 'POST',
      body: new URLSearchParams({ x: '1 2' }),
      headers: { 'X-Api': 'key' },
    })
    expect([made.status, made.statusText, made.ok, made.headers.get('x-two'), await made.json()]).toEqual([
      201,
      'Made',
      true,
      'a, b',
      { ok: true },
    ])
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/a?b=c',
      body: 'x=1+2',
      headers: { 'x-api': 'key', 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
    })
    expect(await (await fetch(`${server.origin}/packed`)).text()).toBe('hello')
    const head = await fetch(`${server.origin}/`, { method: 'HEAD' })
    expect([head.status, head.body]).toEqual([201, null])
  })

  it('follows redirects as it is told', async () => {
    await using server = await localServer((seen, response, request) => {
      if (seen.url === '/') response.writeHead(302, { location: '/end' }).end()
      else answerJson({ method: seen.method, body: seen.body })(seen, response, request)
    })
    const fetch = fetching(server.port)
    const followed = await fetch(`${server.origin}/`, { method: 'POST', body: 'x' })
    expect([followed.redirected, followed.url, await followed.json()]).toEqual([
      true,
      `${server.origin}/end`,
      { method: 'GET', body: '' },
    ])
    const given = await fetch(`${server.origin}/`, { redirect: 'manual' })
    expect([given.status, given.headers.get('location')]).toEqual([302, '/end'])
    await expect(fetch(`${server.origin}/`, { redirect: 'error' })).rejects.toThrow(FetchError)
  })

  it('says whether anything was sent, and claims nothing about the effect of its tool', async () => {
    await using server = await localServer((_seen, _response, request) => request.socket.destroy())
    const fetch = fetching(server.port)
    const lost = await fetch(`${server.origin}/`, { method: 'POST' }).catch((error: unknown) => error)
    const refused = await fetch('http://169.254.169.254/').catch((error: unknown) => error)
    expect(lost).toMatchObject({ code: 'connection_lost', sent: true, effect: 'unknown' })
    expect(refused).toMatchObject({ code: 'egress_refused', sent: false, effect: 'unknown', class: 'POLICY_VIOLATION' })
    expect(refused).toBeInstanceOf(ToolError)
  })

  it.each(['host', 'connection', 'transfer-encoding'])('lets no caller set %s', async (name) => {
    await expect(fetching(80)('http://127.0.0.1/', { headers: { [name]: 'x' } })).rejects.toThrow(TypeError)
  })

  it('ends with the call, and with its own signal', async () => {
    await using server = await localServer(() => undefined)
    const controller = new AbortController()
    const { fetch } = trialContext({ egress: trialEgress([server.port]), signal: controller.signal })
    const first = fetch(`${server.origin}/`).catch((error: unknown) => error)
    const second = fetch(`${server.origin}/`, { signal: AbortSignal.timeout(50) }).catch((error: unknown) => error)
    expect(await second).toMatchObject({ code: 'canceled' })
    controller.abort()
    expect(await first).toMatchObject({ code: 'canceled', sent: true })
  })

  it('streams', async () => {
    await using server = await localServer((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const response = await fetching(server.port)(`${server.origin}/`)
    const reader = response.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    await reader?.cancel()
  })
})

describe('a function that fetches', () => {
  it('reaches what its contract lists, and nothing else [egress-is-held-to-the-contract] [TC-033, TC-143, TC-286, TC-324]', async () => {
    await using server = await localServer(answerJson({ rate: 1 }))
    const tool = (name: string, egress: 'none' | 'allowlisted_domains') =>
      defineTool({
        name,
        description: 'Looks up one rate and changes nothing.',
        effect: 'READ_ONLY',
        input: { type: 'object', properties: {}, additionalProperties: false },
        egress,
        egressDomains: ['127.0.0.1'],
        connections: { ports: [server.port], loopback: true },
        async execute(_args, { fetch }) {
          return (await fetch(`${server.origin}/rate`)).json()
        },
      })
    const proviso = await openProviso({ tools: [tool('rate_v1', 'allowlisted_domains'), tool('lone_v1', 'none')] })
    expect((await proviso.call({ tool: 'rate_v1', arguments: '{}' })).value).toEqual({ rate: 1 })
    const refused = await proviso.call({ tool: 'lone_v1', arguments: '{}' })
    expect([refused.observation.status.taxonomy_class, refused.effect]).toEqual(['POLICY_VIOLATION', 'none'])
    expect(server.seen).toHaveLength(1)
    await proviso.close()
  })
})
