// A tool that lets its secrets out in every way it can find, through a whole call: nothing that is shown or kept holds one.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explanationOf } from '../../src/cli/explain/explanation.ts'
import { type CredentialResolver, type Hook, openProviso, type Progress, ToolError } from '../../src/index.ts'
import { postgres } from '../../src/ledger/postgres/postgres.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { people } from '../people.ts'
import { classOf, context, counted, open, order, warningsOf } from '../pipeline/bench-desk.ts'

const secret = 'Zx81/kQ+pW"m2=ä&7'
const pin = '8401957362'
const credentials: CredentialResolver = {
  id: 'fixed',
  resolve: ({ name }) => ({ kind: 'found', value: name === 'pin' ? pin : secret }),
}
const bytes = Buffer.from(secret)

/** How the secret is written where. */
const encodings: Readonly<Record<string, string>> = {
  raw: secret,
  base64: bytes.toString('base64'),
  'basic authentication': Buffer.from(`ann:${secret}`).toString('base64'),
  base64url: bytes.toString('base64url'),
  hex: bytes.toString('hex'),
  HEX: bytes.toString('hex').toUpperCase(),
  url: encodeURIComponent(secret),
  'every byte of a url': [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
  form: new URLSearchParams({ a: secret }).toString(),
  json: JSON.stringify(secret),
  'json in json': JSON.stringify(JSON.stringify({ secret })),
  escaped: secret.replaceAll(/[^a-z]/gi, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  html: secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  'url of a url': encodeURIComponent(encodeURIComponent(secret)),
  'base64 of base64': Buffer.from(bytes.toString('base64')).toString('base64'),
  'base64 of json': Buffer.from(JSON.stringify({ secret })).toString('base64'),
}

/** What must not be found in anything that is shown or kept. */
const traces: readonly string[] = [
  'kQ+pW',
  'kQ%2BpW',
  'kQ%252BpW',
  'kQ\\u002bpW',
  pin,
  ...Object.values(encodings).map((text) => text.replaceAll(/^"|"$/g, '').slice(4, 20)),
]
const leaksOf = (text: string) => traces.filter((trace) => text.includes(trace))
const leaky = {
  list: Object.values(encodings).map((text) => `before ${text} after`),
  keyed: { [secret]: { [encodeURIComponent(secret)]: 1 } },
  bytes: Buffer.from(`x${secret}y`),
  own: { toJSON: () => ({ token: secret }) },
  number: Number(pin),
  nested: [[[{ deep: secret }]]],
}
const traceable = (effect: Parameters<typeof counted>[0], extras: Parameters<typeof counted>[1]) =>
  counted(effect, { credentials: { key: { ref: 'api' }, pin: { ref: 'pin' } }, ...extras })

const listening = () => {
  const heard: unknown[] = []
  const hook: Hook = {
    name: 'watch',
    postToolUse: (event) => void heard.push(event),
    postToolUseFailure: (event) => void heard.push(event),
    resultPersistence: (event) => void heard.push(event),
  }
  return { heard, hook }
}

describe('a tool that returns its secrets', () => {
  it('has them taken out of answer, value, facts, hooks and the verifier’s hands, and a warning says so [secrets-are-scrubbed] [TC-113]', async () => {
    const { heard, hook } = listening()
    const tool = traceable('MEDIUM_RISK_WRITE', {
      execute: () => leaky as never,
      verify: (_, result) => {
        heard.push(result)
        return { status: 'verified' }
      },
    })
    const proviso = await open(tool.source, { credentials, hooks: [hook] })
    const answer = await proviso.call(order('c1'), context)
    const again = await proviso.call(order('c1'), context)
    expect([classOf(answer), warningsOf(answer)]).toEqual(['SUCCESS', expect.arrayContaining(['result_scrubbed'])])
    const { call_id } = answer.observation.tool_identity
    const shown = [answer, again, heard, await proviso.calls.facts(call_id), await proviso.calls.get(call_id)]
    for (const one of shown) expect(leaksOf(plain(one))).toEqual([])
    expect(plain(answer.value)).toContain('[secret:key]')
    expect(plain(answer.value)).toContain('[secret:pin]')
    expect(heard.length).toBeGreaterThan(1)
  })

  it('shows an untouched value where there is none', async () => {
    const value = { when: new Date(0), fine: 'text' }
    const tool = traceable('READ_ONLY', { execute: () => value as never })
    const answer = await (await open(tool.source, { credentials })).call(order('c1'), context)
    expect([answer.value, warningsOf(answer)]).toEqual([value, []])
  })

  it('has what looks like a secret taken out as well, though it was given none', async () => {
    const key = `AKIA${'IOSFODNN7EXAMPLE'}`
    const tool = counted('READ_ONLY', { execute: () => ({ log: `using ${key} now` }) as never })
    const answer = await (await open(tool.source)).call(order('c1'), context)
    expect([answer.value, warningsOf(answer)]).toEqual([{ log: 'using [secret] now' }, ['result_scrubbed']])
  })

  it('has them taken out of what comes late [secrets-are-scrubbed]', async () => {
    let finish: () => void = () => undefined
    const tool = traceable('MEDIUM_RISK_WRITE', {
      timeoutMs: 20,
      execute: () =>
        new Promise((resolve) => {
          finish = () => resolve(leaky as never)
        }),
    })
    const proviso = await open(tool.source, { credentials })
    const first = await proviso.call(order('c1'), context)
    expect(first.effect).toBe('unknown')
    finish()
    await expect.poll(async () => (await proviso.call(order('c1'), context)).effect).toBe('happened')
    const again = await proviso.call(order('c1'), context)
    expect(leaksOf(plain([first, again]))).toEqual([])
    expect(warningsOf(again)).toContain('result_scrubbed')
  })

  it('has them taken out of what its output library makes of them', async () => {
    class Box {
      readonly #token = secret
      open() {
        return this.#token
      }
    }
    const { source } = traceable('READ_ONLY', { execute: () => new Box() as never })
    const outputCheck = (box: unknown) => ({ ok: true, value: { token: (box as Box).open() } }) as const
    const proviso = await open({ ...source, binding: { ...source.binding, outputCheck } }, { credentials })
    const answer = await proviso.call(order('c1'), context)
    expect(answer.observation.result_payload.data).toEqual({ token: '[secret:key]' })
  })
})

describe('a tool whose result says something else when it is read again', () => {
  /** Harmless when first read, and then the secret; or the other way round. */
  const turning = (first: unknown, then: unknown) => {
    let reads = 0
    return () => (reads++ === 0 ? first : then)
  }
  class Holder {
    get toJSON(): unknown {
      return undefined
    }
  }
  const loud = () => {
    throw new Error('not now')
  }
  const shapes: readonly (readonly [name: string, make: () => unknown])[] = [
    ['a getter', () => Object.defineProperty({}, 'a', { enumerable: true, get: turning('fine', secret) })],
    [
      'a getter that throws first',
      () => ({
        list: [
          Object.defineProperty({}, 'a', {
            enumerable: true,
            get: (() => {
              let reads = 0
              return () => (reads++ === 0 ? loud() : secret)
            })(),
          }),
        ],
      }),
    ],
    ['toJSON', () => ({ toJSON: turning({ a: 'fine' }, { a: secret }) })],
    [
      'a toJSON that comes later',
      () => Object.defineProperty({ a: 1 }, 'toJSON', { get: turning(undefined, () => secret) }),
    ],
    [
      'the toJSON of an instance that comes later',
      () => Object.defineProperty(new Holder(), 'toJSON', { get: turning(undefined, () => secret) }),
    ],
    ['a date', () => Object.assign(new Date(0), { toJSON: () => secret })],
    ['a date by its text', () => Object.assign(new Date(0), { toISOString: () => secret })],
    [
      'a date of another class',
      () =>
        new (class extends Date {
          override toJSON() {
            return secret
          }
        })(),
    ],
    ['a date beside others', () => ({ when: [Object.assign(new Date(0), { toJSON: turning('fine', secret) })] })],
    [
      'a proxy',
      () => new Proxy({ a: 'fine' }, { get: (target, name) => (name === 'a' ? turned() : Reflect.get(target, name)) }),
    ],
    [
      'a proxy of a list',
      () => new Proxy(['fine'], { get: (target, name) => (name === '0' ? turned() : Reflect.get(target, name)) }),
    ],
    [
      'a proxy that is of a class at first',
      () => new Proxy({ a: secret }, { getPrototypeOf: turning(Holder.prototype, Object.prototype) as () => object }),
    ],
    [
      'a list that grows',
      () => {
        const list: unknown[] = ['fine']
        setImmediate(() => list.push(secret))
        return { list }
      },
    ],
  ]
  let turned: () => unknown = () => undefined

  it.each(shapes)('is read once: %s [secrets-are-scrubbed]', async (_name, make) => {
    turned = turning('fine', secret)
    const { heard, hook } = listening()
    const tool = traceable('MEDIUM_RISK_WRITE', { execute: () => make() as never })
    const proviso = await open(tool.source, { credentials, hooks: [hook] })
    const answer = await proviso.call(order('c1'), context)
    await new Promise((resolve) => setImmediate(resolve))
    const { call_id } = answer.observation.tool_identity
    const shown = [answer, heard, await proviso.calls.facts(call_id), await proviso.calls.get(call_id), answer.value]
    // Also where the host reads what it was given more than once.
    for (let reading = 0; reading < 3; reading++) for (const one of shown) expect(leaksOf(plain(one))).toEqual([])
    expect(answer.effect).toBe('happened')
  })
})

describe('a tool that throws its secrets', () => {
  it.each(['READ_ONLY', 'MEDIUM_RISK_WRITE'] as const)(
    'has them taken out of messages and codes, also where they were cut: %s [secrets-are-scrubbed] [TC-326]',
    async (effect) => {
      const long = 'x'.repeat(1_990)
      const errors = [
        ...Object.values(encodings).map((text) => new ToolError('odd', `Refused: ${text}.`, { effect: 'none' })),
        new ToolError(secret, 'Refused.', { effect: 'unknown' }),
        new ToolError(`${'c'.repeat(55)}${secret}`, `${long}${secret}`, { effect: 'unknown', cause: leaky }),
        Object.assign(new Error(secret), { code: secret }),
        Object.assign(new ToolError('odd', 'x'), { message: leaky, code: leaky, retryAfterMs: leaky }),
      ]
      for (const error of errors) {
        const { heard, hook } = listening()
        const faults: unknown[] = []
        const tool = traceable(effect, {
          execute: () => {
            throw error
          },
        })
        const proviso = await open(tool.source, { credentials, hooks: [hook], onFault: (fault) => faults.push(fault) })
        const answer = await proviso.call(order('c1'), context)
        const { call_id } = answer.observation.tool_identity
        const facts = await proviso.calls.facts(call_id)
        const shown = [answer, heard, facts, faults, await proviso.escalations.list(), await proviso.calls.get(call_id)]
        for (const one of shown) expect(leaksOf(plain(one))).toEqual([])
        expect(answer.observation.status.is_error).toBe(true)
      }
    },
  )
})

describe('a tool that streams its secrets', () => {
  it('has them taken out, also where one is cut over two messages [secrets-are-scrubbed] [TC-113]', async () => {
    for (let cut = 1; cut < secret.length; cut++) {
      const heard: Progress[] = []
      const tool = traceable('READ_ONLY', {
        execute: (_, { progress, partial }) => {
          progress(`Using ${secret.slice(0, cut)}`)
          progress(`${secret.slice(cut)} to log in`)
          partial({ text: `a ${secret.slice(0, cut)}` })
          partial({ text: `${secret.slice(cut)} b` })
          for (const text of Object.values(encodings)) progress(text)
          partial(leaky)
          progress('Done')
          return {} as never
        },
      })
      const proviso = await open(tool.source, { credentials, onProgress: (progress) => heard.push(progress) })
      await proviso.call(order('c1'), context)
      expect(leaksOf(plain(heard))).toEqual([])
      expect(heard.at(-1)).toMatchObject({ event: 'progress', text: 'Done', tool: 'order_v1' })
      expect(plain(heard)).toContain('to log in')
    }
  })

  it('is not heard any more once its call is answered', async () => {
    const heard: Progress[] = []
    let say: (text: string) => void = () => undefined
    const tool = traceable('READ_ONLY', {
      execute: (_, { progress }) => {
        say = progress
        progress('one')
        return {} as never
      },
    })
    const proviso = await open(tool.source, { credentials, onProgress: (progress) => heard.push(progress) })
    await proviso.call(order('c1'), context)
    say(secret)
    expect(heard).toHaveLength(1)
  })
})

describe('a database', () => {
  let databases: Databases
  beforeAll(async () => {
    databases = await startDatabases()
  })
  afterAll(() => databases.end())

  it('holds no secret in any row, and neither does an explanation [secrets-are-scrubbed] [TC-112, TC-326]', async () => {
    const url = await databases.fresh()
    const ledger = await postgres(url, { connections: 3 })
    const tools = [
      traceable('MEDIUM_RISK_WRITE', { execute: () => leaky as never }),
      traceable('MEDIUM_RISK_WRITE', {
        name: 'large_v1',
        maxInlineBytes: 100,
        execute: () => ({ ...leaky, more: 'x'.repeat(500) }) as never,
      }),
      traceable('MEDIUM_RISK_WRITE', {
        name: 'failing_v1',
        maxRetries: 1,
        errors: { odd: 'DEPENDENCY_UNAVAILABLE' },
        execute: () => {
          throw new ToolError('odd', `With ${secret}`, { effect: 'unknown', cause: leaky })
        },
      }),
      traceable('READ_ONLY', { name: 'read_v1', execute: () => leaky as never }),
    ].map(({ source }) => source)
    const proviso = await openProviso({ ledger, tools, credentials, identity: people })
    const texts: string[] = []
    for (const tool of ['order_v1', 'large_v1', 'failing_v1', 'read_v1']) {
      const answer = await proviso.call({ ...order(tool), tool }, { ...context, run: tool })
      const { call_id } = answer.observation.tool_identity
      const call = await ledger.calls.get(call_id)
      if (call === undefined) continue
      const [facts, questions] = [await ledger.calls.facts(call_id), await proviso.escalations.list()]
      texts.push(plain(explanationOf({ call, facts, contract: undefined, questions })))
    }
    await proviso.close()
    texts.push(...(await everyRow(url)))
    expect(texts.length).toBeGreaterThan(10)
    expect(texts.some((text) => text.includes('[secret:key]'))).toBe(true)
    expect(texts.flatMap(leaksOf)).toEqual([])
  })
})

/** Every row of every table, with bytes as the text they hold. */
async function everyRow(url: string): Promise<readonly string[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const rows: string[] = []
    for (const { name } of tables.rows) {
      const found = await client.query<Record<string, unknown>>(`select * from ${name}`)
      for (const row of found.rows)
        rows.push(
          Object.values(row)
            .map((value) => (Buffer.isBuffer(value) ? value.toString() : plain(value)))
            .join('\n'),
        )
    }
    return rows
  } finally {
    await client.end()
  }
}

/** As JSON, with bytes as the text they hold, and errors as what they say. */
function plain(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) => {
      if (member instanceof Error) return `${member.message} ${member.stack}`
      return Buffer.isBuffer(member) ? member.toString() : member
    }) ?? ''
  )
}
