// Where secrets come from, for whom, and what becomes of a call that does not get its own.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, property, string } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CredentialRequest, type CredentialResolver, loadContracts, openProviso } from '../../src/index.ts'
import { envCredentials, fileCredentials, vaultCredentials } from '../../src/public/executors.ts'
import { manualClock } from '../../src/public/testing.ts'
import { classOf, context, counted, open, order, reasonOf } from '../pipeline/bench-desk.ts'
import { answerJson, localServer } from './local-server.ts'
import { testCertificate } from './test-certificate.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proviso-secrets-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const secret = 'correct-horse-7'
const asked = (change: Partial<CredentialRequest> = {}): CredentialRequest => ({
  name: 'key',
  ref: 'billing/api',
  per: 'tenant',
  scopes: [],
  tenant: 'acme',
  user: 'ann',
  tool: 'order_v1',
  callId: 'c',
  signal: new AbortController().signal,
  ...change,
})
const fixed = (value: unknown): CredentialResolver => ({
  id: 'fixed',
  resolve: () => ({ kind: 'found', value: value as string }),
})
const needy = (extras: Parameters<typeof counted>[1] = {}) =>
  counted('LOW_RISK_INTERNAL', { credentials: { key: { ref: 'billing/api' } }, ...extras })

describe('the environment', () => {
  it('has a variable for each tenant, user and reference [credentials-per-tenant] [TC-110]', async () => {
    const env = {
      PROVISO_SECRET__ACME__BILLING_2FAPI: 'of acme',
      PROVISO_SECRET__ACME__ANN__BILLING_2FAPI: 'of ann',
      PROVISO_SECRET__GEO: 'of all tenants',
    }
    const resolver = envCredentials({ env, shared: ['geo'] })
    const found = async (change: Partial<CredentialRequest>) => {
      const resolution = await resolver.resolve(asked(change))
      return resolution.kind === 'found' ? resolution.value : resolution.kind
    }
    expect(await found({})).toBe('of acme')
    expect(await found({ per: 'user' })).toBe('of ann')
    expect(await found({ per: 'user', user: 'bob' })).toBe('absent')
    expect(await found({ ref: 'geo' })).toBe('of all tenants')
    for (const tenant of ['Acme', 'ACME', 'acme_', 'acme__ann', 'other', '__proto__', 'constructor'])
      expect(await found({ tenant })).toBe('absent')
    const strict = envCredentials({ env, allow: ({ tool }) => tool === 'refund_v1' })
    expect(await strict.resolve(asked())).toMatchObject({ kind: 'refused' })
    // Not one that forgets to say so, and no promise.
    for (const said of [undefined, Promise.resolve(false)])
      expect(await envCredentials({ env, allow: () => said as never }).resolve(asked())).toMatchObject({
        kind: 'refused',
      })
  })

  it('never leads two names to one variable [credentials-per-tenant]', () => {
    const names = string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    const variable = (request: Partial<CredentialRequest>) => {
      let read = ''
      const env = new Proxy(
        {},
        {
          getOwnPropertyDescriptor(_, name) {
            read = String(name)
            return undefined
          },
        },
      )
      envCredentials({ env }).resolve(asked(request))
      return read
    }
    assert(
      property(names, names, names, names, (tenant, user, otherTenant, otherUser) => {
        const own = [tenant, user, 'user'].join('\0') === [otherTenant, otherUser, 'user'].join('\0')
        const one = variable({ tenant, user, per: 'user', ref: 'a/b' })
        expect(one === variable({ tenant: otherTenant, user: otherUser, per: 'user', ref: 'a/b' })).toBe(own)
        expect(one).not.toBe(variable({ tenant: otherTenant, ref: otherUser }))
      }),
    )
  })
})

describe('files', () => {
  const keep = async (path: string, mode = 0o600) => {
    const file = join(folder, path)
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, `${secret}\n`)
    await chmod(file, mode)
  }

  it('hold one secret each, for their tenant or user alone [credentials-per-tenant]', async () => {
    await keep('acme/billing~2Fapi')
    await keep('acme/@ann/mail')
    await keep('@shared/geo')
    const resolver = fileCredentials({ dir: folder, shared: ['geo'] })
    const found = { kind: 'found', value: secret }
    expect(await resolver.resolve(asked())).toEqual(found)
    expect(await resolver.resolve(asked({ per: 'user', ref: 'mail' }))).toEqual(found)
    expect(await resolver.resolve(asked({ ref: 'geo', tenant: 'any' }))).toEqual(found)
    for (const tenant of ['Acme', '../acme', 'acme/@ann', '@shared', '.', '..', 'x/../acme'])
      expect(await resolver.resolve(asked({ tenant }))).toEqual({ kind: 'absent' })
    expect(await resolver.resolve(asked({ per: 'user', user: '../billing', ref: 'mail' }))).toEqual({ kind: 'absent' })
  })

  it('are refused where others may use them', async () => {
    for (const [mode, name] of [
      [0o640, 'group'],
      [0o604, 'others'],
      [0o620, 'writers'],
    ] as const) {
      await keep(`acme/${name}`, mode)
      const refused = await fileCredentials({ dir: folder }).resolve(asked({ ref: name }))
      expect(refused).toMatchObject({ kind: 'refused', reason: expect.stringContaining('chmod 600') })
    }
    await mkdir(join(folder, 'acme/folder'), { recursive: true })
    expect(await fileCredentials({ dir: folder }).resolve(asked({ ref: 'folder' }))).toMatchObject({ kind: 'refused' })
  })
})

describe('a vault', () => {
  const token = { env: 'PROVISO_TEST_VAULT_TOKEN' }
  beforeAll(() => {
    process.env.PROVISO_TEST_VAULT_TOKEN = 'token-of-the-vault'
  })
  afterAll(() => {
    delete process.env.PROVISO_TEST_VAULT_TOKEN
  })
  const entry = (lease: number, value: unknown = secret) => ({
    lease_duration: lease,
    data: { data: { value }, metadata: { version: 1 } },
  })

  it('is asked by the path of tenant and reference, with its token [credentials-per-tenant]', async () => {
    await using server = await localServer(answerJson(entry(0)))
    const resolver = vaultCredentials({ address: server.origin, token, shared: ['geo'], namespace: 'team' })
    expect(await resolver.resolve(asked())).toEqual({ kind: 'found', value: secret })
    await resolver.resolve(asked({ per: 'user' }))
    await resolver.resolve(asked({ ref: 'geo' }))
    for (const tenant of ['../other', 'a/b', '..', '.', '@users', 'a?b', 'a%2Fb'])
      await resolver.resolve(asked({ tenant }))
    expect(server.seen.map(({ url }) => url.replace('/v1/secret/data/', ''))).toEqual([
      'acme/billing/api',
      'acme/@users/ann/billing/api',
      'shared/geo',
      '~2E.~2Fother/billing/api',
      'a~2Fb/billing/api',
      '~2E./billing/api',
      '~2E/billing/api',
      '~40users/billing/api',
      'a~3Fb/billing/api',
      'a~252Fb/billing/api',
    ])
    expect(server.seen[0]?.headers).toMatchObject({
      'x-vault-token': 'token-of-the-vault',
      'x-vault-namespace': 'team',
    })
  })

  it('is asked once by all who ask at the same time, and again once the lease or the bound is over', async () => {
    const clock = manualClock()
    await using server = await localServer(({ url }, response, request) =>
      answerJson(entry(url.includes('short') ? 5 : 3_600))({ ...seenNothing, url }, response, request),
    )
    const resolver = vaultCredentials({ address: server.origin, token, maxCacheMs: 60_000, clock })
    const ask = (ref: string) => resolver.resolve(asked({ ref }))
    await Promise.all([ask('long'), ask('long'), ask('long')])
    expect(server.seen).toHaveLength(1)
    await ask('short')
    clock.advance(4_000)
    await Promise.all([ask('short'), ask('long')])
    expect(server.seen).toHaveLength(2)
    clock.advance(2_000)
    await Promise.all([ask('short'), ask('long')])
    expect(server.seen).toHaveLength(3)
    clock.advance(60_000)
    await ask('long')
    expect(server.seen).toHaveLength(4)
    // Another tenant never gets what was kept for the first.
    await resolver.resolve(asked({ ref: 'long', tenant: 'other' }))
    expect(server.seen).toHaveLength(5)
  })

  it('keeps nothing here that has no lease', async () => {
    await using server = await localServer(answerJson(entry(0)))
    const resolver = vaultCredentials({ address: server.origin, token })
    await resolver.resolve(asked())
    await resolver.resolve(asked())
    expect(server.seen).toHaveLength(2)
  })

  it('that has none, forbids it, fails, redirects, is silent or talks nonsense hands nothing out [credential-missing]', async () => {
    const resolutionOf = async (answer: Parameters<typeof localServer>[0]) => {
      await using server = await localServer(answer)
      const resolver = vaultCredentials({ address: server.origin, token, timeoutMs: 300 })
      try {
        return (await resolver.resolve(asked())).kind
      } catch (error) {
        expect(String(error)).not.toContain('token-of-the-vault')
        return 'thrown'
      }
    }
    const kinds = await Promise.all([
      resolutionOf(answerJson({ errors: [] }, 404)),
      resolutionOf(answerJson({ errors: ['permission denied'] }, 403)),
      resolutionOf(answerJson(entry(0, 5))),
      resolutionOf(answerJson({ data: null })),
      resolutionOf(answerJson({}, 503)),
      resolutionOf((_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()),
      resolutionOf((_, response) => response.end('{"data":')),
      resolutionOf((_, response) => response.end('x'.repeat(2_000_000))),
      resolutionOf((_, response) => response.destroy()),
      resolutionOf(() => undefined),
      // No other protocol was asked for; the next request must not wait for this answer for ever.
      resolutionOf((_, response) =>
        response.socket?.write('HTTP/1.1 101 No\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      ),
    ])
    expect(kinds).toEqual(['absent', 'refused', 'refused', 'refused', ...Array.from({ length: 7 }, () => 'thrown')])
  })

  it('has to show a certificate that is trusted', async () => {
    await using server = await localServer(answerJson(entry(0)), { tls: true })
    const ask = async (ca?: string) => {
      const resolver = vaultCredentials({ address: server.origin, token, ...(ca === undefined ? {} : { ca }) })
      return String(await Promise.resolve(resolver.resolve(asked())).catch((error: unknown) => error))
    }
    expect(await ask()).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/)
    // Trusted now, and for another name.
    expect(await ask(testCertificate)).toContain('ALTNAME')
  })

  it('is refused with an address or a path that would give secrets away', () => {
    for (const address of ['http://vault.example.com', 'ftp://x', 'nonsense', 'https://u:p@vault.example.com'])
      expect(() => vaultCredentials({ address, token })).toThrow('vault')
    for (const path of ['secret/{ref}', 'secret/{tenant}', 'a//{tenant}/{ref}', '../{tenant}/{ref}'])
      expect(() => vaultCredentials({ address: 'https://v.example.com', token, path })).toThrow('path of a vault')
  })

  it('takes its token from a file that no other user may read', async () => {
    await using server = await localServer(answerJson(entry(0)))
    const file = join(folder, 'token')
    await writeFile(file, 'token-in-a-file\n', { mode: 0o600 })
    const resolver = vaultCredentials({ address: server.origin, token: { file } })
    await resolver.resolve(asked())
    expect(server.seen[0]?.headers['x-vault-token']).toBe('token-in-a-file')
    await chmod(file, 0o644)
    await expect(resolver.resolve(asked())).rejects.toThrow('chmod 600')
  })
})

const seenNothing = { method: 'GET', headers: {}, body: '' }

describe('a tool that asks for a secret', () => {
  it('gets it after admission, for its tenant, user and tool, and only while it runs [credentials-after-admission] [TC-033, TC-108, TC-109, TC-111, TC-112, TC-415, EP-15]', async () => {
    const requests: CredentialRequest[] = []
    const handed: ReadonlyMap<string, string>[] = []
    const seen: unknown[] = []
    const resolver: CredentialResolver = {
      id: 'x',
      resolve(request) {
        requests.push(request)
        return { kind: 'found', value: secret }
      },
    }
    const tool = needy({
      credentials: { key: { ref: 'billing/api', scopes: ['refunds'] } },
      execute: (_, { credentials }) => {
        handed.push(credentials)
        seen.push(credentials.get('key'))
        return {}
      },
    })
    const proviso = await open(tool.source, { credentials: resolver, budgets: { write: 1 } })
    const answer = await proviso.call(order('c1'), context)
    expect([classOf(answer), seen, [...(handed[0] ?? [])]]).toEqual(['SUCCESS', [secret], []])
    expect(requests).toEqual([
      expect.objectContaining({
        name: 'key',
        ref: 'billing/api',
        tenant: 'acme',
        user: 'ann',
        tool: 'order_v1',
        scopes: ['refunds'],
      }),
    ])
    expect(requests[0]?.signal.aborted).toBe(true)
    // What is refused before its admission asks for none.
    await proviso.call(order('c2', { order_id: 'o-2' }), { ...context, run: 'run-1' })
    await proviso.call(order('c3', { wrong: 1 }), context)
    expect(requests).toHaveLength(1)
    const { call_id } = answer.observation.tool_identity
    const facts = await proviso.calls.facts(call_id)
    expect(facts.find(({ phase }) => phase === 'execute')?.evidence).toMatchObject({
      credentials: { key: 'billing/api' },
    })
    expect(JSON.stringify(facts)).not.toContain(secret)
  })

  it('is not started without it, and the answer names what is missing [credential-missing] [EP-89]', async () => {
    const cases: readonly (readonly [CredentialResolver | undefined, RegExp])[] = [
      [undefined, /not set up/],
      [envCredentials({ env: {} }), /billing\/api.*not set up/],
      [fixed('short'), /fewer than 8/],
      [fixed('aaaaaaaaaaaa'), /over and over/],
      [fixed(5), /no text/],
      [fixed(undefined), /no text/],
      [{ id: 'x', resolve: () => null as never }, /did not answer/],
      [
        {
          id: 'x',
          resolve() {
            throw new Error(`cannot open ${secret}`)
          },
        },
        /did not answer/,
      ],
      [{ id: 'x', resolve: () => new Promise<never>(() => undefined) }, /did not answer/],
      [{ id: 'x', resolve: () => ({ kind: 'refused', reason: 'it is locked.' }) }, /it is locked/],
    ]
    for (const [resolver, message] of cases) {
      const tool = needy({ timeoutMs: 60 })
      const proviso = await open(tool.source, resolver === undefined ? {} : { credentials: resolver })
      const answer = await proviso.call(order('c1'), context)
      expect([classOf(answer), reasonOf(answer), answer.effect, tool.seen.length]).toEqual([
        'DEPENDENCY_UNAVAILABLE',
        'credential_missing',
        'none',
        0,
      ])
      expect(answer.observation.result_payload.errors[0]?.message).toMatch(message)
      expect(answer.response.next_action).toBe('stop_and_report')
      expect(
        JSON.stringify([answer, await proviso.calls.facts(answer.observation.tool_identity.call_id)]),
      ).not.toContain(secret)
    }
  })

  it('may be called again once the secret is there, and asks several in turn [credential-missing]', async () => {
    const env: Record<string, string> = {}
    const tool = needy()
    const proviso = await open(tool.source, { credentials: [envCredentials({ env: {} }), envCredentials({ env })] })
    const first = await proviso.call(order('c1'), { ...context, operationId: 'op' })
    expect(reasonOf(first)).toBe('credential_missing')
    env.PROVISO_SECRET__ACME__BILLING_2FAPI = secret
    const second = await proviso.call(order('c1'), { ...context, operationId: 'op' })
    expect([classOf(second), tool.seen.length]).toEqual(['SUCCESS', 1])
  })

  it('whose secret belongs to a user is not started without a user [credential-missing] [TC-110]', async () => {
    const tool = counted('READ_ONLY', { credentials: { key: { ref: 'mail', per: 'user' } } })
    const proviso = await open(tool.source, { credentials: fixed(secret) })
    const { user: _, ...anonymous } = context
    expect(reasonOf(await proviso.call(order('c1'), anonymous))).toBe('credential_missing')
    expect(classOf(await proviso.call(order('c2'), context))).toBe('SUCCESS')
  })

  it('loses it with its timeout, though it goes on [TC-111]', async () => {
    let later: () => unknown = () => undefined
    const tool = needy({
      timeoutMs: 20,
      execute: (_, { credentials }) => {
        later = () => credentials.get('key')
        return new Promise(() => undefined) as never
      },
    })
    const proviso = await open(tool.source, { credentials: fixed(secret) })
    expect(classOf(await proviso.call(order('c1'), context))).toBe('TIMEOUT')
    expect(later()).toBeUndefined()
  })

  it('may be written as a file [tool-files-load]', async () => {
    const { contract } = counted('LOW_RISK_INTERNAL', { secretsBoundary: 'gateway_injected' }).source
    const dir = await mkdtemp(join(tmpdir(), 'proviso-tools-'))
    await writeFile(
      join(dir, 'code.mjs'),
      'export const run = (args, { credentials }) => ({ length: credentials.get("key").length })',
    )
    const binding = {
      executor: { kind: 'fn', module: './code.mjs', export: 'run' },
      credentials: { key: { ref: 'billing/api', per: 'tenant' } },
    }
    await writeFile(join(dir, 'order_v1.tool.json'), JSON.stringify({ contract, binding }))
    const proviso = await openProviso({ tools: await loadContracts(dir), credentials: fixed(secret) })
    const answer = await proviso.call(order('c1'), context)
    expect(answer.value).toEqual({ length: secret.length })
    await writeFile(
      join(dir, 'order_v1.tool.json'),
      JSON.stringify({ contract, binding: { ...binding, credentials: { key: { value: 'x' } } } }),
    )
    await expect(loadContracts(dir)).rejects.toThrow('/binding/credentials/key')
  })
})
