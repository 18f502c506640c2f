// Whom an identity names is whom a decision comes from. An identity may be the host's own code, so what it says is checked: where it names
// no tenant, it opens nothing.
import { describe, expect, it } from 'vitest'
import { defineTool, type Identity, openProviso } from '../../src/index.ts'
import { memory } from '../../src/ledger/index.ts'
import { people } from '../people.ts'

const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  effect: 'HIGH_RISK_EXTERNAL',
  input: {
    type: 'object',
    properties: { amount: { type: 'integer', minimum: 1, maximum: 100 } },
    required: ['amount'],
    additionalProperties: false,
  },
  trusted: true,
  execute: () => ({}),
  verify: () => ({ status: 'verified' }),
})

const ann = { tenant: 'acme', user: 'ann', run: 'run-1' }
const whole = {
  tenant: 'acme',
  user: 'bob',
  roles: ['approver', 'operator', 'compliance'],
  installationRoles: ['operator'],
  scopes: [],
  agent: undefined,
  keyId: 'host',
  kind: 'person',
}

/** What the host's identity says of every credential. */
async function desk(said: unknown, tenants?: readonly string[]) {
  const identity: Identity = { verify: async () => said as never }
  const ledger = memory()
  const proviso = await openProviso({ ledger, tools: [pay], identity, ...(tenants === undefined ? {} : { tenants }) })
  const asking = await openProviso({ ledger, tools: [pay], identity: people })
  const { approval } = await asking.call({ tool: 'pay', arguments: { amount: 1 } }, ann)
  const { packetHash = '' } = (await proviso.approvals.get(approval?.id ?? '')) ?? {}
  const grant = {
    tool: 'pay',
    principal: 'ann',
    fields: { '/amount': { min: 1, max: 2 } },
    count: 1,
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const credential = 'any'
  return {
    status: async () => (await proviso.approvals.get(approval?.id ?? ''))?.status,
    attempts: {
      approve: () => proviso.approvals.approve(approval?.id ?? '', { credential, packetHash }),
      reject: () => proviso.approvals.reject(approval?.id ?? '', { credential, packetHash }),
      grant: () => proviso.approvals.grant(grant, { credential }),
      revoke: () => proviso.approvals.revoke('grant_1', { credential, reason: 'over' }),
      resolve: () => proviso.calls.resolve('call', { credential, effect: 'none', why: 'looked' }),
      resume: () => proviso.sagas.resume('saga_1', { credential, why: 'mended' }),
      pins: () => proviso.drift.approve('shop', [], { credential }),
    },
  }
}

describe('an identity of the host', () => {
  const unbound: readonly (readonly [string, unknown])[] = [
    ['without a tenant', { ...whole, tenant: undefined }],
    ['with a tenant that is empty', { ...whole, tenant: '' }],
    ['with a tenant that is blank', { ...whole, tenant: ' ' }],
    ['with a tenant that is null', { ...whole, tenant: null }],
    ['with a list of tenants', { ...whole, tenant: ['acme'] }],
    ['without a user', { ...whole, user: undefined }],
    ['with a user that is empty', { ...whole, user: '' }],
    ['without roles', { ...whole, roles: undefined }],
    ['that is null', null],
    ['that is a text', 'bob'],
  ]
  it.each(unbound)('%s opens nothing [identity-names-a-tenant]', async (_, said) => {
    const { attempts, status } = await desk(said)
    for (const [name, attempt] of Object.entries(attempts))
      await expect(attempt(), name).rejects.toMatchObject({
        code: expect.stringMatching(/^(not_permitted|unknown_credential)$/),
      })
    expect(await status()).toBe('pending')
  })

  it('of a tenant that does not exist here opens nothing [identity-names-a-tenant]', async () => {
    const { attempts } = await desk({ ...whole, tenant: 'globex' }, ['acme'])
    for (const [name, attempt] of Object.entries(attempts))
      await expect(attempt(), name).rejects.toMatchObject({ code: 'not_permitted' })
  })

  it('that names all of it decides for its tenant', async () => {
    const { attempts, status } = await desk(whole)
    await attempts.approve()
    expect(await status()).toBe('approved')
  })
})
