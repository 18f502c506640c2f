// A tenant that is offered less: what it may send is proven to be less, shown, and enforced.
import { describe, expect, it } from 'vitest'
import { classOf, context, counted, open, order } from '../pipeline/bench-desk.ts'

const small = {
  type: 'object',
  properties: { order_id: { type: 'string', maxLength: 40 }, amount: { type: 'integer', minimum: 1, maximum: 10 } },
  required: ['order_id', 'amount'],
  additionalProperties: false,
} as const

describe('a surface that is narrowed for one tenant', () => {
  it('holds that tenant to the narrower schema, and no other tenant [tenants-narrowed-by-proof]', async () => {
    const tool = counted('READ_ONLY')
    const proviso = await open(tool.source, { narrow: { acme: { order_v1: small } } })
    const large = order('c1', { order_id: 'o', amount: 100 })
    const answer = await proviso.call(large, context)
    expect([classOf(answer), answer.feedback?.field_errors[0]?.field]).toEqual(['OUT_OF_BOUNDS', 'amount'])
    expect(classOf(await proviso.call(order('c2', { order_id: 'o', note: 'x' }), context))).toBe('STRUCTURAL_VIOLATION')
    expect(classOf(await proviso.call(order('c3', { order_id: 'o', amount: 10 }), context))).toBe('SUCCESS')
    expect(classOf(await proviso.call(large, { ...context, tenant: 'other' }))).toBe('SUCCESS')
    expect(classOf(await proviso.call(large, { user: 'ann', run: 'r' }))).toBe('SUCCESS')
  })

  it('shows that tenant the narrower schema [tenants-narrowed-by-proof]', async () => {
    const proviso = await open(counted('READ_ONLY').source, { narrow: { acme: { order_v1: small } } })
    const shown = (await proviso.surface(context)).format('mcp').tools[0]
    expect(shown?.inputSchema).toEqual(small)
    const wide = (await proviso.surface({ ...context, tenant: 'other' })).format('mcp').tools[0]
    expect(wide?.inputSchema).not.toEqual(small)
  })

  it('holds that tenant to it on a surface that was taken for another one [tenants-narrowed-by-proof]', async () => {
    const proviso = await open(counted('READ_ONLY').source, { narrow: { acme: { order_v1: small } } })
    const surface = await proviso.surface({ ...context, tenant: 'other' })
    const answer = await proviso.call(order('c1', { order_id: 'o', amount: 100 }), { ...context, surface })
    expect(classOf(answer)).toBe('OUT_OF_BOUNDS')
  })

  it('does not hold other tenants to it on a surface that was taken for that one [tenants-narrowed-by-proof]', async () => {
    const proviso = await open(counted('READ_ONLY').source, { narrow: { acme: { order_v1: small }, tiny: {} } })
    const surface = await proviso.surface(context)
    for (const tenant of ['other', 'tiny']) {
      const large = order(`c-${tenant}`, { order_id: 'o', amount: 100 })
      expect(classOf(await proviso.call(large, { ...context, tenant, surface }))).toBe('SUCCESS')
    }
    expect(classOf(await proviso.call(order('c3', { order_id: 'o', amount: 100 }), { ...context, surface }))).toBe(
      'OUT_OF_BOUNDS',
    )
  })

  it('is refused where it is not narrower, with a call that shows it [tenants-narrowed-by-proof]', async () => {
    const { source } = counted('READ_ONLY')
    const opened = (schema: object) => open(source, { narrow: { acme: { order_v1: schema as typeof small } } })
    await expect(
      opened({ ...small, properties: { ...small.properties, amount: { type: 'integer', minimum: 0 } } }),
    ).rejects.toThrow(/order_v1 for tenant acme is refused\. It is not narrower: it accepts \{"amount":0/)
    await expect(opened({ type: 'object' })).rejects.toThrow('not narrower')
    await expect(opened({ ...small, required: ['order_id', 'note'], maxProperties: 1 })).rejects.toThrow(
      'No arguments satisfy it',
    )
    await expect(opened({ type: 'objekt' })).rejects.toThrow('is refused')
    await expect(open(source, { narrow: { acme: { ordr_v1: small } } })).rejects.toThrow('no tool has this name')
  })
})
