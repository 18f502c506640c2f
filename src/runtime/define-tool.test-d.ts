// Checked by the compiler: a tool runs a function or an executor, one of both.
import { expectTypeOf, test } from 'vitest'
import { http } from '../execute/executors/http.ts'
import { defineTool } from './define-tool.ts'
import type { ToolSource } from './tool-definition.ts'

const traits = { name: 'a_v1', description: 'Reads.', effect: 'READ_ONLY', input: { type: 'object' } } as const
const executor = http({ method: 'GET', url: 'https://api.example.com/' })

test('a tool has one way to run', () => {
  expectTypeOf(defineTool({ ...traits, executor, executorVersion: '1' })).toEqualTypeOf<ToolSource>()
  expectTypeOf(defineTool({ ...traits, execute: () => 1 })).toEqualTypeOf<ToolSource>()
  // @ts-expect-error: both
  defineTool({ ...traits, executor, execute: () => 1 })
  // @ts-expect-error: neither
  defineTool(traits)
})
