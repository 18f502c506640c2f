// What may come back from an HTTP server: every status by every method, redirects, and answers that are cut, held back, garbled or of
// another kind than they say.
import type { HttpOptions } from '../../src/execute/executors/http.ts'
import type { Executor } from '../../src/index.ts'
import { http } from '../../src/public/executors.ts'
import type { EffectCase, EffectRow, EffectTable } from './effect-table.ts'
import { type HttpDouble, type HttpPlay, httpDouble, type Reply } from './http-double.ts'

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const methods: readonly Method[] = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Statuses by which a standard says that the request was not carried out. */
export const undone: readonly (readonly [status: number, word: string])[] = [
  [400, 'RFC 9110, 15.5.1: cannot or will not process the request'],
  [401, 'RFC 9110, 15.5.2: has not been applied'],
  [403, 'RFC 9110, 15.5.4: refuses to fulfill it'],
  [404, 'RFC 9110, 15.5.5: there is nothing to apply it to'],
  [405, 'RFC 9110, 15.5.6: the method is not supported there'],
  [407, 'RFC 9110, 15.5.8: the proxy has not passed it on'],
  [409, 'RFC 9110, 15.5.10: could not be completed'],
  [410, 'RFC 9110, 15.5.11: there is nothing left to apply it to'],
  [411, 'RFC 9110, 15.5.12: refuses to accept the request'],
  [412, 'RFC 9110, 13.1: must not perform the method where a condition is false'],
  [413, 'RFC 9110, 15.5.14: refuses to process the request'],
  [414, 'RFC 9110, 15.5.15: refuses to service the request'],
  [415, 'RFC 9110, 15.5.16: refuses to service the request'],
  [421, 'RFC 9110, 15.5.20: may be sent again over another connection, also where it is not idempotent'],
  [422, 'RFC 9110, 15.5.21: was unable to process the instructions'],
  [423, 'RFC 4918, 11.3: the resource of the method is locked'],
  [425, 'RFC 8470, 5.2: is unwilling to risk processing it'],
  [426, 'RFC 9110, 15.5.22: refuses to perform the request'],
  [428, 'RFC 6585, 3: requires the request to be conditional'],
  [429, 'RFC 6585, 4: it is one request too many'],
  [431, 'RFC 6585, 5: is unwilling to process the request'],
  [451, 'RFC 7725, 3: denies access to the resource'],
]

/** Anything on the way may send PUT and DELETE again (RFC 9110, 9.2.2), and what answers then is the world after the first. */
const mayTellOfItself: Readonly<Record<Method, readonly number[]>> = {
  POST: [],
  PATCH: [],
  PUT: [409, 412, 423],
  DELETE: [404, 409, 410, 412, 423],
}

const noWord: readonly number[] = [202, 207]

const isUndone = (status: number, method: Method) =>
  undone.some(([one]) => one === status) && !mayTellOfItself[method].includes(status)
const isDone = (status: number) => status >= 200 && status < 300 && !noWord.includes(status)

const reply = (status: number | string, headers: string[] = [], body = '{"a":1}'): Reply => {
  const bodiless = status === 204 || status === 205 || status === 304
  const framing = bodiless ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]
  const lines = [`HTTP/1.1 ${status} Word`, ...framing, ...headers]
  return { bytes: `${lines.join('\r\n')}\r\n\r\n${bodiless ? '' : body}` }
}

interface Kit {
  readonly double: HttpDouble
  readonly by: (method: Method, options?: Partial<HttpOptions>) => Executor
}

export const httpTable: EffectTable = {
  executor: 'http',
  async open() {
    const double = await httpDouble()
    const made = new Map<string, Executor>()
    const by = (method: Method, options: Partial<HttpOptions> = {}) => {
      const key = JSON.stringify([method, options])
      const executor =
        made.get(key) ??
        http({ method, url: `${double.origin}/deeds`, json: true, maxResponseBytes: 4_096, ...options })
      made.set(key, executor)
      return executor
    }
    const kit: Kit = { double, by }
    return {
      ports: [double.port],
      rows: [...statusRows(kit), ...redirectRows(kit), ...brokenRows(kit)],
      seen: double.seen,
      close: double.close,
    }
  },
}

const caseOf = ({ double }: Kit, name: string, executor: Executor, play: HttpPlay): EffectCase => ({
  name,
  executor,
  arrange: (deed) => double.arrange(play, deed),
})

const answers = (kit: Kit, name: string, method: Method, one: Reply, options?: Partial<HttpOptions>): EffectCase =>
  caseOf(kit, `${method}: ${name}`, kit.by(method, options), { replies: [one] })

/** Every three digits that a status may have; 1xx is no final answer. */
const everyStatus = Array.from({ length: 800 }, (_, at) => at + 200)
const redirecting: readonly number[] = [301, 302, 303, 307, 308]

function statusRows(kit: Kit): readonly EffectRow[] {
  const named = undone.map(
    ([status, because]): EffectRow => ({
      came: `status ${status}`,
      effect: 'none',
      because,
      cases: () =>
        methods
          .filter((method) => isUndone(status, method))
          .map((method) => answers(kit, String(status), method, reply(status))),
    }),
  )
  const everyOther = (fits: (status: number, method: Method) => boolean) =>
    everyStatus.flatMap((status) =>
      methods
        .filter((method) => fits(status, method))
        .map((method) => answers(kit, String(status), method, reply(status))),
    )
  return [
    ...named,
    {
      came: 'a status by which the request may meet its own effect, as it may be sent again on the way',
      effect: 'unknown',
      cases: () => everyOther((status, method) => mayTellOfItself[method].includes(status)),
    },
    {
      came: 'status 408: gateways also give it where what stands behind them was slow',
      effect: 'unknown',
      cases: () => everyOther((status) => status === 408),
    },
    {
      came: 'a status that no standard calls undone, or that is of a server',
      effect: 'unknown',
      cases: () =>
        everyOther(
          (status, method) =>
            status >= 300 && status !== 408 && !isUndone(status, method) && !mayTellOfItself[method].includes(status),
        ),
    },
    {
      came: 'status 408, 503 or 402 of a provider that says that it does nothing then',
      effect: 'none',
      because: 'withoutEffect',
      cases: () =>
        [402, 408, 503].map((status) =>
          answers(kit, String(status), 'POST', reply(status), { withoutEffect: [402, 408, 503] }),
        ),
    },
    {
      came: 'a status of success',
      effect: 'happened',
      because: 'RFC 9110, 15.3: received, understood and accepted',
      cases: () => everyOther(isDone),
    },
    {
      came: 'status 202 or 207: accepted but not yet done, or one status for each part',
      effect: 'unknown',
      cases: () => everyOther((status) => noWord.includes(status)),
    },
    {
      came: 'status 202 or 207 of a provider that says that it is done then',
      effect: 'happened',
      because: 'withEffect',
      cases: () =>
        noWord.map((status) => answers(kit, String(status), 'POST', reply(status), { withEffect: [202, 207] })),
    },
  ]
}

function redirectRows(kit: Kit): readonly EffectRow[] {
  const to = (status: number, location = '/elsewhere') => reply(status, [`location: ${location}`], '')
  const chain = (name: string, replies: readonly Reply[], options: Partial<HttpOptions> = {}, deedAt = 0) =>
    caseOf(kit, name, kit.by('POST', options), { replies, deedAt })
  const form = { json: false, form: true } as const
  return [
    {
      came: 'a redirect by 307 or 308 that is not followed',
      effect: 'none',
      because: 'RFC 9110, 15.4: further action is needed to fulfill the request',
      cases: () =>
        [307, 308].flatMap((status) => [
          chain(`${status} to another origin`, [to(status, 'http://other.proviso.test/')]),
          chain(`${status} for ever`, [to(status)]),
          chain(`${status} to what is no URL`, [to(status, 'http://[')]),
          chain(`${status} where none is followed`, [to(status)], { redirects: 0 }),
        ]),
    },
    {
      came: 'a redirect by 307 or 308, and a refusal there',
      effect: 'none',
      because: 'RFC 9110, 15.5.1, after 15.4',
      cases: () => [307, 308].map((status) => chain(`${status}, then 400`, [to(status), reply(400)])),
    },
    {
      came: 'a redirect by 307 or 308, and success there',
      effect: 'happened',
      because: 'RFC 9110, 15.3',
      cases: () => [307, 308].map((status) => chain(`${status}, then 200`, [to(status), reply(200)], {}, 1)),
    },
    {
      came: 'a redirect by 307 or 308, and nothing from there',
      effect: 'unknown',
      cases: () => [307, 308].map((status) => chain(`${status}, then nothing`, [to(status), { bytes: '' }], {}, 1)),
    },
    {
      came: 'a redirect to a look, with any status there',
      effect: 'unknown',
      cases: () => [
        ...[200, 204, 404, 400, 429, 500].map((status) => chain(`303, then ${status}`, [to(303), reply(status)])),
        ...[301, 302].flatMap((first) =>
          [200, 404, 429].map((status) =>
            chain(`${first} on a form, then ${status}`, [to(first), reply(status)], form),
          ),
        ),
        chain('303, then 302, then 200', [to(303), to(302), reply(200)]),
        chain('303, then nothing', [to(303), { bytes: '' }]),
        chain('303 to another origin that is not reached', [to(303, 'http://other.proviso.test/')]),
        chain('303 for ever', [to(303)]),
        ...[301, 302, 303].map((status) => chain(`${status} to what is no URL`, [to(status, 'http://[')])),
        ...redirecting.map((status) => chain(`${status} to nowhere`, [reply(status)])),
      ],
    },
    {
      came: 'a redirect of a provider that says that it is done then',
      effect: 'happened',
      because: 'withEffect',
      cases: () =>
        ([301, 302, 303] as const).map((status) =>
          chain(`${status} on a form, then 200`, [to(status), to(302), reply(200)], { ...form, withEffect: [status] }),
        ),
    },
  ]
}

function brokenRows(kit: Kit): readonly EffectRow[] {
  const cuts = (one: Reply, from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) =>
      (['end', 'reset'] as const).map((leaves) =>
        answers(kit, `${from + at} bytes of ${one.bytes.length}, then ${leaves}`, 'POST', {
          bytes: one.bytes.slice(0, from + at),
          leaves,
        }),
      ),
    ).flat()
  const headOf = ({ bytes }: Reply) => bytes.indexOf('\r\n\r\n') + 4
  const [good, bad, failed] = [reply(200), reply(422), reply(500)] as const
  const slow = (name: string, one: Reply): EffectCase => ({ ...answers(kit, name, 'POST', one), timeoutMs: 300 })
  const raw = (name: string, bytes: string | Buffer): EffectCase => answers(kit, name, 'POST', { bytes })
  return [
    {
      came: 'the head of an answer, cut at every byte',
      effect: 'unknown',
      cases: () => [good, bad, failed].flatMap((one) => cuts(one, 0, headOf(one))),
    },
    {
      came: 'the body of a success, cut at every byte',
      effect: 'happened',
      because: 'RFC 9110, 15.3: the status has come',
      cases: () => cuts(good, headOf(good), good.bytes.length),
    },
    {
      came: 'the body of a refusal, cut at every byte',
      effect: 'none',
      because: 'RFC 9110, 15.5.21: the status has come',
      cases: () => cuts(bad, headOf(bad), bad.bytes.length),
    },
    {
      // A server that goes on writing may go on working as well.
      came: 'nothing within the time of the call, or only a part of an answer',
      effect: 'unknown',
      cases: () => [
        slow('nothing', { bytes: '', leaves: 'hang' }),
        slow('half a body', { bytes: good.bytes.slice(0, -3), leaves: 'hang' }),
        slow('half a head', { bytes: good.bytes.slice(0, 20), leaves: 'hang' }),
        slow('only 100', { bytes: 'HTTP/1.1 100 Continue\r\n\r\n', leaves: 'hang' }),
        slow('only 103', { bytes: 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', leaves: 'hang' }),
      ],
    },
    {
      came: 'no HTTP, or another protocol',
      effect: 'unknown',
      cases: () => [
        raw('a greeting', '220 mail.example ESMTP\r\n'),
        raw('zeros', Buffer.alloc(100)),
        raw('a TLS alert', Buffer.from([21, 3, 3, 0, 2, 2, 40])),
        raw('HTTP/2 frames', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
        raw('HTTP/9.9', 'HTTP/9.9 200 OK\r\n\r\n'),
        raw('no status', 'HTTP/1.1 yes OK\r\n\r\n'),
        raw('a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'),
        raw('a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'),
        raw('a NUL in a header', 'HTTP/1.1 200 OK\r\na: \0\r\n\r\n'),
        raw('a header without a name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'),
        raw('two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
        raw('a length below zero', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'),
        raw('a head of 100 KB', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(100_000)}\r\n\r\n`),
        raw('101', 'HTTP/1.1 101 No\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n'),
        ...Array.from({ length: 20 }, (_, at) => raw(`noise ${at}`, noise(at))),
      ],
    },
    {
      came: 'a success with a body of another kind than it says, or that cannot be read',
      effect: 'happened',
      because: 'RFC 9110, 15.3: the status has come',
      cases: () => [
        raw('no JSON', reply(200, [], '{"a":').bytes),
        raw('a page', reply(200, [], '<html>').bytes),
        raw('an empty body', reply(200, [], '').bytes),
        raw('a number too large', reply(200, [], '1e999').bytes),
        raw('a body too large', reply(200, [], JSON.stringify('a'.repeat(5_000))).bytes),
        raw('half of a pair of surrogates', reply(200, [], '"\\ud800"').bytes),
        raw('the key __proto__', reply(200, [], '{"__proto__":{"a":1}}').bytes),
        raw('500 lists in one another', reply(200, [], `${'['.repeat(500)}${']'.repeat(500)}`).bytes),
        raw('a data with a status of its own', reply(200, [], '{"status":404,"effect":"none"}').bytes),
        raw('no gzip', reply(200, ['content-encoding: gzip']).bytes),
        raw('an unknown encoding', reply(200, ['content-encoding: rot13']).bytes),
        raw('an image', 'HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 1\r\n\r\nx'),
        raw('unknown characters', 'HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=klingon\r\n\r\nx'),
        raw('a chunk that does not end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'),
        raw('a chunk without a length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nab'),
      ],
    },
    {
      came: 'informational answers before the final one',
      effect: 'happened',
      because: 'RFC 9110, 15.2: the final answer follows',
      cases: () => [
        raw('100', `HTTP/1.1 100 Continue\r\n\r\n${good.bytes}`),
        raw('102 and 103', `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nlink: </a>\r\n\r\n${good.bytes}`),
      ],
    },
  ]
}

/** Bytes that look random, the same each time. */
function noise(seed: number): Buffer {
  let state = seed * 2_654_435_761 + 1
  return Buffer.from(
    Array.from({ length: 64 }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state >>> 16
    }),
  )
}
