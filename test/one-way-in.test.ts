// An executor is run in one place, behind the admission of its call: found in the source, because no call can show what it did not pass.
import { expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const product = sourceFiles('src').filter(({ path }) => !path.includes('.test'))
const filesWith = (pattern: RegExp) => product.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

it('executors of tools start in one place, behind all gates [TC-096, TC-407]', () => {
  // The attempt; and, within it, what gives an executor the transaction of the ledger.
  expect(filesWith(/executor\.run\(/)).toEqual(['src/execute/attempt/attempt.ts', 'src/pipeline/call/tool-context.ts'])
  expect(filesWith(/from '\.\/attempt\.ts'|attempt\/attempt\.ts'/)).toEqual(['src/execute/attempt/retry.ts'])
  // Beside the phase that comes after the admission, reading an effect back runs an executor, and that one may only read.
  expect(filesWith(/\battemptWithRetries\(/)).toEqual([
    'src/execute/attempt/retry.ts',
    'src/pipeline/phases/execute.ts',
  ])
})
