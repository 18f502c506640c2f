// Attacks on the http executor and on context.fetch. The operator decides where a request may go; arguments, names, redirects and responses
// change nothing about that.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ResolveName } from '../../src/execute/egress/allowed-host.ts'
import { guardedFetch } from '../../src/execute/egress/guarded-fetch.ts'
import type { ToolError } from '../../src/index.ts'
import { http } from '../../src/public/executors.ts'
import { answerJson, localServer } from './local-server.ts'
import { failureOf, runExecutor, trialEgress } from './run-executor.ts'

const anywhere = trialEgress([], {
  policy: 'unrestricted_with_approval',
  connections: { ports: [], loopback: false, plain: true },
})

/** Every way to write an address that nothing may connect to. */
const forbiddenHosts: Readonly<Record<string, string>> = {
  'the metadata address': '169.254.169.254',
  'the metadata address as one number': '2852039166',
  'the metadata address in hexadecimal': '0xa9fea9fe',
  'the metadata address in octal': '0251.0376.0251.0376',
  'the metadata address in mixed parts': '0xa9.254.43518',
  'the metadata address mapped into IPv6': '[::ffff:169.254.169.254]',
  'the metadata address as a compatible IPv6 address': '[::a9fe:a9fe]',
  'the metadata address behind NAT64': '[64:ff9b::a9fe:a9fe]',
  'the metadata address behind local NAT64': '[64:ff9b:1::a9fe:a9fe]',
  'the metadata address behind 6to4': '[2002:a9fe:a9fe::]',
  'a Teredo address': '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  'the metadata address of AWS in IPv6': '[fd00:ec2::254]',
  loopback: '127.0.0.1',
  'loopback in short': '127.1',
  'loopback as one number': '2130706433',
  'loopback in octal': '017700000001',
  'loopback in full-width digits': '１２７．０．０．１',
  'loopback with ideographic full stops': '127。0。0。1',
  'loopback in circled digits': '①②⑦.⓪.⓪.①',
  'loopback by name': 'localhost',
  'loopback by name with a dot': 'localhost.',
  'loopback in IPv6': '[::1]',
  'loopback mapped into IPv6': '[::ffff:7f00:1]',
  'the unspecified address': '0.0.0.0',
  'the unspecified address in short': '0',
  'the unspecified address of IPv6': '[::]',
  'a private address': '10.0.0.1',
  'a unique local address': '[fd12::1]',
  'carrier-grade NAT': '100.64.0.1',
  'the metadata address of Alibaba': '100.100.100.200',
  'the host agent of Azure': '168.63.129.16',
  'link-local IPv6': '[fe80::1]',
  multicast: '224.0.0.1',
  broadcast: '255.255.255.255',
  documentation: '192.0.2.1',
}

describe('a host that leads inside is refused before anything is connected to', () => {
  it.each(Object.entries(forbiddenHosts))('%s: %s [addresses-are-checked] [TC-004, TC-288]', async (_what, host) => {
    const failure = await failureOf(
      runExecutor(
        http({ method: 'POST', url: `http://${host}/latest/meta-data`, json: true }),
        {},
        { egress: anywhere },
      ),
    )
    expect([failure.code, failure.effect]).toEqual(['egress_refused', 'none'])
    const fetched = await failureOf(guardedFetch(anywhere)(`http://${host}/`))
    expect(fetched.code).toBe('egress_refused')
  })

  const elsewhere = Object.entries(forbiddenHosts).filter(([what]) => !what.startsWith('loopback'))
  it.each(elsewhere)(
    'and a redirect there is not followed: %s [redirects-are-judged-again] [TC-287]',
    async (_what, host) => {
      await using server = await localServer((_seen, response) =>
        response.writeHead(302, { location: `http://${host}/` }).end(),
      )
      // This machine alone is allowed, for the first step.
      const egress = { ...anywhere, connections: { ports: [server.port], loopback: true, plain: true } }
      const failure = await failureOf(runExecutor(http({ method: 'GET', url: `${server.origin}/` }), {}, { egress }))
      expect([failure.code, server.seen.length]).toEqual(['egress_refused', 1])
    },
  )
})

const resolveTo =
  (names: Readonly<Record<string, readonly string[]>>): ResolveName =>
  async (name) =>
    (names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

describe('names', () => {
  it('are resolved once: a second answer is never used [names-are-pinned] [TC-288]', async () => {
    await using server = await localServer(answerJson({ ok: true }))
    const asked: string[] = []
    // The first answer is allowed; a second question would lead to the metadata service.
    const resolve: ResolveName = async (name) => {
      asked.push(name)
      return [{ address: asked.length === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }]
    }
    const executor = http({ method: 'GET', url: `http://rebind.test:${server.port}/`, network: { resolve } })
    const egress = trialEgress([server.port])
    expect(await runExecutor(executor, {}, { egress })).toEqual({ ok: true })
    expect(asked).toEqual(['rebind.test'])
    // The next request asks anew, is judged anew, and does not ride on the connection that is still open.
    const failure = await failureOf(runExecutor(executor, {}, { egress }))
    expect([failure.code, failure.effect, asked.length]).toEqual(['egress_refused', 'none', 2])
    expect(server.seen).toHaveLength(1)
  })

  it.each([
    ['one address of several is inside', ['93.184.215.14', '169.254.169.254']],
    ['an IPv6 address hides an IPv4 one', ['::ffff:10.0.0.1']],
    ['a private address stands behind an allowed name', ['192.168.0.10']],
    ['a zone is named', ['fe80::1%lo']],
    ['the answer is no address', ['localhost']],
  ])('are refused as a whole where %s [addresses-are-checked]', async (_what, addresses) => {
    const network = { resolve: resolveTo({ 'api.example.com': addresses }) }
    const egress = { ...anywhere, policy: 'allowlisted_domains' as const, domains: ['api.example.com'] }
    const executor = http({ method: 'POST', url: 'https://api.example.com/', json: true, network })
    const failure = await failureOf(runExecutor(executor, {}, { egress }))
    expect([failure.code, failure.effect]).toEqual(['egress_refused', 'none'])
    // Which address it was is not told.
    for (const address of addresses) expect(failure.message).not.toContain(address)
  })

  it('are compared in one form, and only with the list [egress-is-held-to-the-contract]', async () => {
    const network = { resolve: resolveTo({}) }
    const egress = {
      ...anywhere,
      policy: 'allowlisted_domains' as const,
      domains: ['bücher.example', '*.api.example.com'],
    }
    const codeOf = async (url: string) =>
      (await failureOf(runExecutor(http({ method: 'GET', url, network }), {}, { egress }))).code
    // Listed: it goes on to the resolver, which knows no name.
    for (const host of [
      'BÜCHER.example',
      'xn--bcher-kva.example',
      'bücher.example.',
      'eu.api.example.com',
      'EU.API。example.com',
    ])
      expect([host, await codeOf(`https://${host}/`)]).toEqual([host, 'host_not_found'])
    for (const host of [
      'example.com',
      'api.example.com',
      'evil-api.example.com',
      'api.example.com.evil.test',
      'xn--bcher-kva.example.evil.test',
    ])
      expect([host, await codeOf(`https://${host}/`)]).toEqual([host, 'egress_refused'])
  })
})

describe('policies', () => {
  const plain = { ports: [], loopback: false, plain: false }
  it.each([
    ['none', 'https://93.184.215.14/', {}],
    ['allowlisted_domains', 'https://93.184.215.14/', { domains: ['example.com'] }],
    ['private_network_only', 'https://93.184.215.14/', {}],
    ['private_network_only', 'http://169.254.169.254/', {}],
    ['private_network_only', 'http://[fd00:ec2::254]/', {}],
    ['private_network_only', 'http://127.0.0.1/', {}],
    ['unrestricted_with_approval', 'https://10.0.0.1/', {}],
    ['unrestricted_with_approval', 'http://93.184.215.14/', {}],
    ['unrestricted_with_approval', 'https://93.184.215.14:22/', {}],
    ['unrestricted_with_approval', 'https://93.184.215.14/', { domains: ['example.com'] }],
  ] as const)('%s does not reach %s [egress-is-held-to-the-contract]', async (policy, url, more) => {
    const egress = { policy, domains: [], connections: plain, ...more }
    const failure = await failureOf(runExecutor(http({ method: 'GET', url }), {}, { egress }))
    expect([failure.code, failure.class]).toEqual(['egress_refused', 'POLICY_VIOLATION'])
  })
})

describe('what stands in a URL of the operator', () => {
  it.each([
    'https://{host}/',
    'https://api.example.com{path}',
    '{url}',
    'https://good.example@169.254.169.254/',
    'https://user:{credential:key}@api.example.com/',
    'https://api.example.com/#{fragment}',
    'https://api.example.com/../{id}',
    'https://api.example.com/%2e%2E/{id}',
    'ftp://api.example.com/{id}',
    'file:///etc/passwd',
    'https://api.example.com/{id',
    'https://api.example.com/{}',
    'https://api.example.com/?{name}=1',
  ])('is refused when the tool is made: %s', (url) => {
    expect(() => http({ method: 'GET', url })).toThrow(
      expect.objectContaining({ code: 'bad_options', message: expect.stringContaining('URL') }),
    )
  })
})

const values: Readonly<Record<string, string>> = {
  'a step up': '../admin',
  'two dots': '..',
  'one dot': '.',
  'encoded dots': '%2e%2e',
  'twice encoded dots': '%252e%252e%252fadmin',
  'an encoded step up': '%2e%2e%2fadmin',
  'a step up with a backslash': '..\\admin',
  'a step up in the middle': 'a/../../admin',
  'an at sign': '@evil.example',
  'a fragment': '#fragment',
  'a query': '?admin=true',
  'a further parameter': 'x&admin=true',
  'a slash': 'a/b',
  'a double slash': '//evil.example/',
  'a whole URL': 'http://169.254.169.254/',
  'a matrix parameter': ';admin=true',
  'a line break': 'a\r\nHost: evil.example',
  'a zero byte': 'a\u0000b',
  'full-width dots': '．．／admin',
  nothing: '',
  'half a character': 'a\ud800',
}

describe('a value never becomes more than a value [values-stay-values]', () => {
  it.each(Object.entries(values))('in a path and in a query: %s', async (_what, value) => {
    await using server = await localServer(answerJson({ ok: true }))
    const url = `http://127.0.0.1:${server.port}/v1/orders/{id}/lines?fixed=1&q={/q}`
    const executor = http({ method: 'GET', url })
    const egress = trialEgress([server.port])
    const outcome = await runExecutor(executor, { id: value, q: 'x' }, { egress }).catch(
      (error: ToolError) => error.code,
    )
    if (outcome === 'argument_cannot_be_sent') expect(server.seen).toHaveLength(0)
    else {
      const seen = new URL(server.seen[0]?.url ?? '', server.origin)
      const segments = seen.pathname.split('/')
      expect(segments.map((segment) => decodeURIComponent(segment))).toEqual(['', 'v1', 'orders', value, 'lines'])
      expect([...seen.searchParams]).toEqual([
        ['fixed', '1'],
        ['q', 'x'],
      ])
    }
    const asked = await runExecutor(executor, { id: '1', q: value }, { egress }).catch((error: ToolError) => error.code)
    if (asked === 'argument_cannot_be_sent') return
    const last = new URL(server.seen.at(-1)?.url ?? '', server.origin)
    expect([last.pathname, ...last.searchParams]).toEqual(['/v1/orders/1/lines', ['fixed', '1'], ['q', value]])
  })

  it.each(['a\r\nx-evil: 1', 'a\nb', 'a\u0000', 'a\u2028b', 'ü'])('in a header: %j', async (value) => {
    await using server = await localServer(answerJson({ ok: true }))
    const executor = http({ method: 'GET', url: `${server.origin}/`, headers: { 'X-Note': 'note {note}' } })
    const failure = await failureOf(runExecutor(executor, { note: value }, { egress: trialEgress([server.port]) }))
    expect([failure.code, failure.effect, server.seen.length]).toEqual(['argument_cannot_be_sent', 'none', 0])
  })

  it.each([
    ['Host', 'evil.example'],
    ['Connection', 'upgrade'],
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Authorization', 'Bearer {token}'],
    ['Cookie', 'session={session}'],
    ['bad name', 'x'],
  ])('a header that the binding may not set so: %s: %s', (name, value) => {
    expect(() => http({ method: 'GET', url: 'https://api.example.com/', headers: { [name]: value } })).toThrow(
      expect.objectContaining({ code: 'bad_options', message: expect.stringContaining('header') }),
    )
  })
})

describe('redirects [redirects-are-judged-again]', () => {
  const secret = { credentials: new Map([['key', 'sk_live_0123456789']]) }
  const headers = { Authorization: 'Bearer {credential:key}', 'X-Api-Key': '{credential:key}' }

  it('keep credentials with the origin they were meant for [TC-287]', async () => {
    await using other = await localServer(answerJson({ where: 'other' }))
    await using server = await localServer((seen, response) => {
      if (seen.url.startsWith('/start')) response.writeHead(302, { location: '/next' }).end()
      else response.writeHead(307, { location: `${other.origin}/end` }).end()
    })
    const executor = http({ method: 'GET', url: `${server.origin}/start?k={credential:key}`, headers })
    const egress = trialEgress([server.port, other.port])
    expect(await runExecutor(executor, {}, { egress, ...secret })).toEqual({ where: 'other' })
    expect(server.seen.map((seen) => seen.headers.authorization)).toEqual(Array(2).fill('Bearer sk_live_0123456789'))
    expect(JSON.stringify(other.seen)).not.toContain('sk_live')
    const response = await guardedFetch(egress)(`${server.origin}/start`, {
      headers: { 'x-api-key': 'sk_live_0123456789' },
    })
    expect([response.status, response.redirected, response.url]).toEqual([200, true, `${other.origin}/end`])
    expect(JSON.stringify(other.seen)).not.toContain('sk_live')
  })

  it.each([307, 308])('never send a change on to another origin: %i', async (status) => {
    await using other = await localServer(answerJson({ done: true }))
    await using server = await localServer((_seen, response) =>
      response.writeHead(status, { location: `${other.origin}/charge` }).end(),
    )
    const executor = http({ method: 'POST', url: `${server.origin}/charge`, json: true })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port, other.port]) }))
    expect([failure.code, failure.effect, other.seen.length]).toEqual(['redirect_refused', 'none', 0])
  })

  it.each([
    ['a look that is refused', 429, {}, 'http_429'],
    ['a further redirect to where nothing may go', 307, { location: 'http://169.254.169.254/' }, 'egress_refused'],
    ['a further redirect to nowhere', 308, { location: 'http://[' }, 'redirect_refused'],
  ] as const)('do not undo a change that 303 tells of: %s', async (_what, status, headers, code) => {
    await using server = await localServer((seen, response) => {
      if (seen.method === 'POST') response.writeHead(303, { location: '/orders/1' }).end()
      else response.writeHead(status, headers).end()
    })
    const executor = http({ method: 'POST', url: `${server.origin}/orders`, json: true, withoutEffect: [429] })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]) }))
    expect([failure.code, failure.effect]).toEqual([code, 'unknown'])
  })

  it('send a change on within its origin, and fetch what 303 shows', async () => {
    await using server = await localServer((seen, response, request) => {
      if (seen.url === '/moved') response.writeHead(308, { location: '/orders' }).end()
      else if (seen.method === 'POST') response.writeHead(303, { location: '/orders/1' }).end()
      else answerJson({ id: 1 })(seen, response, request)
    })
    const options = { method: 'POST', url: `${server.origin}/moved`, json: true } as const
    const egress = trialEgress([server.port])
    expect(await runExecutor(http({ ...options, withEffect: [303] }), { a: 1 }, { egress })).toEqual({ id: 1 })
    // By itself it is an indirect answer: a page with an error in it is shown in the same way.
    const failure = await failureOf(runExecutor(http(options), { a: 1 }, { egress }))
    expect([failure.code, failure.effect]).toEqual(['http_303', 'unknown'])
    expect(server.seen.slice(0, 3).map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/moved', '{"a":1}'],
      ['POST', '/orders', '{"a":1}'],
      ['GET', '/orders/1', ''],
    ])
  })

  it.each([
    ['a file', 'file:///etc/passwd', 'egress_refused'],
    ['a user in the URL', 'https://user:pass@93.184.215.14/', 'egress_refused'],
    ['data', 'data:text/plain,hello', 'egress_refused'],
    ['another port', 'http://127.0.0.1:1/', 'egress_refused'],
    ['itself, for ever', '/', 'redirect_refused'],
    ['no URL', 'http://[', 'redirect_refused'],
  ])('are not followed to %s: %s', async (_what, location, code) => {
    await using server = await localServer((_seen, response) => response.writeHead(302, { location }).end())
    const executor = http({ method: 'GET', url: `${server.origin}/` })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]) }))
    expect(failure.code).toBe(code)
    expect(server.seen.length).toBeLessThanOrEqual(6)
  })
})

describe('responses [responses-are-bounded]', () => {
  const codeOf = async (answer: Parameters<typeof localServer>[0], maxResponseBytes = 1_000_000) => {
    await using server = await localServer(answer)
    const executor = http({ method: 'GET', url: `${server.origin}/`, maxResponseBytes })
    return (await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]) }))).code
  }

  it('are cut off where they do not end', async () => {
    let isOpen = true
    const code = await codeOf((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = () => {
        if (isOpen) response.write('x'.repeat(65_536), more)
      }
      response.on('close', () => (isOpen = false))
      more()
    })
    expect(code).toBe('response_too_large')
    await expect.poll(() => isOpen).toBe(false)
  })

  it('that are too long say how much came, what the bound is, and that the deed was done', async () => {
    await using server = await localServer((_seen, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2_000)}"`),
    )
    const executor = http({ method: 'POST', url: `${server.origin}/`, maxResponseBytes: 1_000 })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]) }))
    expect([failure.code, failure.effect]).toEqual(['response_too_large', 'happened'])
    expect(failure.message).toMatch(
      /longer than the 1000 bytes that this tool reads: it was given up after \d{4} bytes/,
    )
  })

  it('with an object of more members than are read of one are refused, and say so', async () => {
    const members = Array.from({ length: 100_001 }, (_, at) => `"k${at}":1`).join()
    await using server = await localServer((_seen, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{${members}}`),
    )
    const executor = http({ method: 'POST', url: `${server.origin}/` })
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]) }))
    expect([failure.code, failure.effect]).toEqual(['response_members', 'happened'])
    expect(failure.message).toContain('more than 100000 members')
  })

  it('are cut off while they unpack', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024), { level: 9 })
    expect(bomb.byteLength).toBeLessThan(300_000)
    const before = process.memoryUsage().rss
    const code = await codeOf((_seen, response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    )
    expect(code).toBe('response_too_large')
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  })

  it.each([
    ['packed twice', 'gzip, gzip'],
    ['packed in no way that was asked for', 'compress'],
  ])('are refused where they are %s', async (_what, encoding) => {
    expect(
      await codeOf((_seen, response) =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end('x'),
      ),
    ).toBe('response_bad_encoding')
  })

  it('are given up with the call where they drip', async () => {
    let isOpen = true
    await using server = await localServer((_seen, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => {
        clearInterval(timer)
        isOpen = false
      })
    })
    const executor = http({ method: 'GET', url: `${server.origin}/` })
    const signal = AbortSignal.timeout(200)
    const failure = await failureOf(runExecutor(executor, {}, { egress: trialEgress([server.port]), signal }))
    expect(failure.code).toBe('response_cut_off')
    await expect.poll(() => isOpen).toBe(false)
  })
})
