import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadContracts } from '../../src/index.ts'
import { counted } from './bench-desk.ts'

it('tool files say what a batch needs to know, and what they leave out follows from the class [tool-files-load]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proviso-batch-'))
  await writeFile(join(folder, 'code.js'), 'export const run = () => ({})\n')
  const write = async (effect: 'READ_ONLY' | 'LOW_RISK_INTERNAL', binding: object) => {
    const { contract } = counted(effect).source
    const executor = { kind: 'fn', module: './code.js', export: 'run' }
    await writeFile(join(folder, 'a.tool.json'), JSON.stringify({ contract, binding: { executor, ...binding } }))
    return (await loadContracts(folder))[0]?.binding
  }
  expect(await write('READ_ONLY', {})).toMatchObject({ interrupt: 'cancel', modifiesContext: false, concurrent: true })
  expect(await write('LOW_RISK_INTERNAL', {})).toMatchObject({ interrupt: 'block', concurrent: false })
  const chosen = { interrupt: 'cancel', modifies_context: true, concurrent: true, locks: ['/order_id'] }
  expect(await write('LOW_RISK_INTERNAL', chosen)).toMatchObject({
    interrupt: 'cancel',
    modifiesContext: true,
    concurrent: true,
    locks: ['/order_id'],
  })
  await expect(write('READ_ONLY', { interrupt: 'maybe' })).rejects.toThrow('/binding/interrupt')
})
