// Secrets for reading an effect back: apart from those of the executor, found by the process that reads, and in nothing that is said or kept.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type CredentialResolver,
  defineTool,
  loadContracts,
  type ToolDefinition,
  type VerifierContext,
} from '../../src/index.ts'
import { http } from '../../src/public/executors.ts'
import { classOf, context, open } from '../pipeline/bench-desk.ts'

const secrets: Readonly<Record<string, string>> = {
  'bank/write': 'write-key-4711-abc',
  'bank/read': 'read-key-0815-xyz',
}
const bank: CredentialResolver = {
  id: 'bank',
  resolve: ({ ref }) => {
    const value = secrets[ref]
    return value === undefined ? { kind: 'absent' } : { kind: 'found', value }
  },
}
const read = { read: { ref: 'bank/read' } }
const input = { type: 'object', properties: {}, additionalProperties: false } as const
type Extras = Partial<Extract<ToolDefinition<typeof input, unknown>, { execute: unknown }>>
const base = { name: 'pay_v1', description: 'Pays.', effect: 'LOW_RISK_INTERNAL', input, trusted: true } as const
const pay = (extras: Extras) =>
  defineTool({ ...base, credentials: { write: { ref: 'bank/write' } }, execute: () => ({}), ...extras })

async function paid(extras: Extras) {
  const proviso = await open(pay(extras), { credentials: bank })
  const answer = await proviso.call({ tool: 'pay_v1', arguments: {} }, context)
  const { call_id } = answer.observation.tool_identity
  const record = await proviso.calls.get(call_id)
  return {
    answer,
    report: record?.verification,
    kept: JSON.stringify([answer, record, await proviso.calls.facts(call_id)]),
  }
}

describe('a verifier', () => {
  it('finds its own secrets and not those of the tool, for as long as it reads [verifier-has-own-credentials]', async () => {
    const seen: (readonly (readonly [string, string])[])[] = []
    let later: VerifierContext | undefined
    const look = (given: VerifierContext) => {
      seen.push([...given.credentials])
      later = given
    }
    const code = await paid({
      verification: { credentials: read },
      verify: (_args, _result, given) => {
        look(given)
        return { status: 'verified' }
      },
    })
    const place = await paid({
      verification: { credentials: read },
      verify: {
        target: {},
        expect: [{ path: '/there', is: 'equals', value: true }],
        read: (_target, given) => {
          look(given)
          return { there: true }
        },
      },
    })
    expect(seen).toEqual([[['read', secrets['bank/read']]], [['read', secrets['bank/read']]]])
    expect([...(later?.credentials ?? [])]).toEqual([])
    for (const { report, kept } of [code, place]) {
      expect(report).toMatchObject({ state: 'VERIFIED', credentials: { read: 'bank/read' } })
      expect(kept).not.toContain('key-0815')
    }
  })

  it('that does not come to its end has no secrets when its time is up [verifier-has-own-credentials]', async () => {
    let given: VerifierContext | undefined
    const { report } = await paid({
      timeoutMs: 50,
      verification: { credentials: read },
      verify: (_args, _result, of) => {
        given = of
        return new Promise<never>(() => undefined)
      },
    })
    expect([report?.state, given?.credentials.size]).toEqual(['TIMEOUT', 0])
  })

  it('that asks for none is given none', async () => {
    let count: number | undefined
    const { report } = await paid({
      verify: (_args, _result, { credentials }) => {
        count = credentials.size
        return { status: 'verified' }
      },
    })
    expect([count, report?.state, report?.credentials]).toEqual([0, 'VERIFIED', undefined])
  })

  it('says nothing that holds its secret [verifier-has-own-credentials] [secrets-are-scrubbed]', async () => {
    const { answer, report, kept } = await paid({
      verification: { credentials: read },
      verify: (_args, _result, { credentials }) => ({
        status: 'failed',
        message: `Refused for Basic ${btoa(`desk:${credentials.get('read')}`)}, ${credentials.get('read')}.`,
      }),
    })
    expect(classOf(answer)).toBe('COMPENSATION_REQUIRED')
    expect(report?.message).toContain('[secret:read]')
    expect(kept).not.toContain('key-0815')
    expect(kept).not.toContain(btoa('desk:read-key-0815-xyz').slice(8, 24))
  })

  it('without its secret reads nothing, and nothing is taken for failed [unverifiable-is-said]', async () => {
    const { answer, report } = await paid({
      verification: { credentials: { read: { ref: 'bank/lost' } } },
      verify: () => ({ status: 'verified' }),
    })
    expect([classOf(answer), report?.state]).toEqual(['SUCCESS', 'UNVERIFIABLE'])
    expect(report?.message).toContain('A credential that it needs cannot be had.')
  })
})

describe('registration', () => {
  const refused = (extras: Extras) => expect(open(pay(extras), { credentials: bank })).rejects
  const verify = () => ({ status: 'verified' as const })

  it('looks at the credentials of a verifier as at those of the executor', async () => {
    await refused({ verify, verification: { credentials: { read: { ref: 'bank//read' } } } }).toThrow('bad-credential')
    const none = { credentials: {}, secretsBoundary: 'none', verify, verification: { credentials: read } } as const
    await refused(none).toThrow('credentials-without-boundary')
    await refused({ secretsBoundary: 'execution_sandbox', verify, verification: { credentials: read } }).toThrow(
      'secrets-outside-sandbox',
    )
    const reader = http({
      method: 'GET',
      url: 'https://bank.example/{id}',
      headers: { Authorization: 'Bearer {credential:write}' },
    })
    const place = { target: { id: '/call/id' }, read: reader, expect: [{ path: '/id', is: 'exists' }] } as const
    const egress = { egress: 'allowlisted_domains', egressDomains: ['bank.example'] } as const
    await refused({ ...egress, verify: place, verification: { credentials: read } }).toThrow(
      'executor-names-no-credential',
    )
  })

  it('reads them from a tool file [tool-files-load]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proviso-verifier-'))
    const { contract } = pay({})
    const code = (name: string) => ({ module: './code.mjs', export: name })
    const binding = {
      executor: { kind: 'fn', ...code('pay') },
      credentials: { write: { ref: 'bank/write' } },
      trusted: true,
      verifier: code('look'),
      verification: { credentials: read },
    }
    await writeFile(join(folder, 'pay.tool.json'), JSON.stringify({ contract, binding }))
    await writeFile(
      join(folder, 'code.mjs'),
      `export const pay = () => ({})
       export const look = (args, result, { credentials }) =>
         credentials.get('read') === 'read-key-0815-xyz' ? { status: 'verified' } : { status: 'failed', message: 'no' }`,
    )
    const [source] = await loadContracts(folder)
    if (source === undefined) throw new Error('No tool was loaded.')
    const proviso = await open(source, { credentials: bank })
    const answer = await proviso.call({ tool: 'pay_v1', arguments: {} }, context)
    expect(classOf(answer)).toBe('SUCCESS')
    const record = await proviso.calls.get(answer.observation.tool_identity.call_id)
    expect(record?.verification).toMatchObject({ state: 'VERIFIED', credentials: { read: 'bank/read' } })
    await proviso.close()
    await rm(folder, { recursive: true })
  })
})
