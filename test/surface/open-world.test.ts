// Whom a tool may reach is told to those who list it: what connects counts as open-world, and cannot be declared otherwise.
import { expect, it } from 'vitest'
import { defineTool, type EffectClass, openProviso, type ToolSource } from '../../src/index.ts'
import { http, runProcess } from '../../src/public/executors.ts'
import { context, counted } from '../pipeline/bench-desk.ts'

const input = { type: 'object', properties: {}, additionalProperties: false } as const
const base = { name: 'tool_v1', description: 'Looks one thing up.', effect: 'READ_ONLY' as EffectClass, input }

it('counts a tool over a network, and a program that may connect, as open-world [EP-41]', async () => {
  const asking = http({ method: 'GET', url: 'https://api.example.com/rates' })
  const running = runProcess({ program: '/usr/bin/true', network: true })
  const hintOf = async (tool: ToolSource) => {
    const proviso = await openProviso({ tools: [tool] })
    const [listed] = (await proviso.surface(context)).format('mcp').tools
    await proviso.close()
    return (listed?.annotations as { readonly openWorldHint?: boolean } | undefined)?.openWorldHint
  }
  for (const executor of [asking, running])
    await expect(openProviso({ tools: [defineTool({ ...base, executor })] })).rejects.toThrow(
      /connects-without-egress|connections-not-watched/,
    )
  const listed = { egress: 'allowlisted_domains', egressDomains: ['api.example.com'] } as const
  expect(await hintOf(defineTool({ ...base, ...listed, executor: asking }))).toBe(true)
  expect(await hintOf(defineTool({ ...base, egress: 'unrestricted_with_approval', executor: running }))).toBe(true)
  expect(await hintOf(counted('READ_ONLY').source)).toBe(false)
})
