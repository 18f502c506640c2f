// The demo of the billing desk does in the world what it says: effects are counted on disk, by lines and files.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { clerk } from '../../examples/billing/clerk.ts'
import { reportStep } from '../../examples/billing/demo/report.ts'
import { type DemoOptions, runDemo } from '../../examples/billing/demo.ts'
import { countEffects } from '../../examples/billing/world/desk.ts'
import { lines, newFolder, openWorld } from './billing-world.ts'

describe('the demo', () => {
  const run = async (options: Partial<DemoOptions> = {}) => {
    let text = ''
    const result = await runDemo({
      folder: await newFolder(),
      colour: false,
      write: (part) => {
        text += part
      },
      ...options,
    })
    return { result, text }
  }

  it('comes out as its scenario says, and leaves exactly those effects on disk', async () => {
    const { result } = await run()
    expect(result.surprises).toEqual([])
    expect(result.ok).toBe(true)
    const { folder } = result
    expect(await lines(folder, 'outbox.jsonl')).toBe(1)
    expect(await lines(folder, 'drafts.jsonl')).toBe(1)
    expect(await lines(folder, 'voidings.jsonl')).toBe(1)
    expect(await lines(folder, 'ticket-changes.jsonl')).toBe(2)
    expect(await lines(folder, 'card-provider.jsonl')).toBe(0)
    expect(await readdir(join(folder, 'previews'))).toEqual(['inv_1007.en.txt'])
  })

  it('shows every refusal and wait that the issue asks for', async () => {
    const { result } = await run()
    const classes = result.steps.map((step) => step.class)
    for (const name of [
      'STRUCTURAL_VIOLATION',
      'TYPE_MISMATCH',
      'SIGNATURE_MISMATCH',
      'STALE_STATE',
      'CONFIRMATION_MISSING',
    ]) {
      expect(classes).toContain(name)
    }
    expect(result.steps.filter((step) => step.replayed)).toHaveLength(2)
    expect(result.steps.flatMap((step) => step.errors.map(({ field }) => field))).toContain('line_items[1].quantity')
  })

  it('replays every call of a known tool without a difference', async () => {
    const { result } = await run()
    const ids = new Set(result.steps.filter(({ ended_by }) => ended_by !== 'resolve').map(({ call_id }) => call_id))
    expect(result.replay).toMatchObject({ calls: ids.size, differences: 0 })
    expect(result.replay.gates).toBeGreaterThan(100)
  })

  it('says that the tools which move money are refused on memory, and why', async () => {
    const { result, text } = await run()
    expect(result.refused_on_memory.map(({ tool, people }) => [tool, people])).toEqual([
      ['charge_customer_card_v2', 2],
      ['refund_charge_v1', 2],
    ])
    for (const { problems } of result.refused_on_memory)
      expect(problems.join()).toContain('critical-on-ephemeral-ledger')
    expect(text).toContain('needs a durable ledger and 2 people')
    expect(text).toContain('The duplicate sent nothing')
  })

  it('fits into 100 columns and uses colour only when asked', async () => {
    const { text } = await run()
    expect(text).toBe(stripVTControlCharacters(text))
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    const coloured = await run({ colour: true })
    expect(coloured.text).not.toBe(stripVTControlCharacters(coloured.text))
  })

  it('prints one JSON object, and nothing else, with json', async () => {
    const { result, text } = await run({ json: true })
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(result)))
  })

  it('starts from the same morning each time and touches no file that is not its own', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'mine.txt'), 'keep')
    await run({ folder })
    const { result } = await run({ folder })
    expect(result.ok).toBe(true)
    expect(await readFile(join(folder, 'mine.txt'), 'utf8')).toBe('keep')
  })

  it('notices a step that comes out otherwise than expected', async () => {
    const { proviso, desk } = await openWorld()
    const proposal = { tool: 'fetch_invoice_v1', arguments: '{"invoice_id":"inv_1001"}' }
    const answer = await proviso.call(proposal, clerk)
    const callId = answer.observation.tool_identity.call_id
    const counts = await countEffects(desk)
    const step = {
      title: '',
      says: '',
      proposal,
      expect: { class: 'STALE_STATE', effect: 'happened', endedBy: 'state', adds: 'mails' },
    } as const
    const facts = await proviso.calls.facts(callId)
    const { surprises } = reportStep({ number: 1, callId, step, answer, facts, before: counts, after: counts })
    expect(surprises).toHaveLength(4)
  })
})
