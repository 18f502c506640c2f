// The demo of the billing desk does in the world what it says: effects are counted on disk, by lines and files.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { clerk } from '../../examples/billing/clerk.ts'
import { recordedCall } from '../../examples/billing/demo/recorded-call.ts'
import { type DemoResult, reportStep } from '../../examples/billing/demo/report.ts'
import { type DemoOptions, runDemo } from '../../examples/billing/demo.ts'
import { countEffects } from '../../examples/billing/world/desk.ts'
import { lines, newFolder, openWorld } from './billing-world.ts'

interface Ran {
  readonly folder: string
  readonly result: DemoResult
  readonly text: string
  /** The files of the world, by name. */
  readonly world: Readonly<Record<string, number>>
}

async function run(options: Partial<DemoOptions> = {}): Promise<Ran> {
  let text = ''
  const folder = options.folder ?? (await newFolder())
  const result = await runDemo({
    folder,
    colour: false,
    write: (part) => {
      text += part
    },
    ...options,
  })
  const names = ['outbox', 'drafts', 'voidings', 'ticket-changes', 'card-provider', 'mail-provider']
  const counted = await Promise.all(names.map(async (name) => [name, await lines(folder, `${name}.jsonl`)] as const))
  const previews = (await readdir(join(folder, 'previews'))).length
  return { folder, result, text, world: { ...Object.fromEntries(counted), previews } }
}

describe('the demo', () => {
  // A demo starts a Postgres and waits for a lease: one is played, and every test looks at it.
  let played: Ran
  beforeAll(async () => {
    played = await run()
  }, 60_000)

  it('comes out as its scenario says, and leaves exactly those effects on disk', () => {
    const { result, world } = played
    expect(result.surprises).toEqual([])
    expect(result).toMatchObject({ ok: true, ledger: 'durable', without_ledger: null, policies: true })
    expect(world).toEqual({
      outbox: 3,
      drafts: 3,
      voidings: 2,
      'ticket-changes': 2,
      'card-provider': 9,
      'mail-provider': 5,
      previews: 1,
    })
  })

  it('shows every refusal and wait that the issue asks for', () => {
    const { result } = played
    const classes = result.steps.map((step) => step.class)
    for (const name of [
      'STRUCTURAL_VIOLATION',
      'TYPE_MISMATCH',
      'SIGNATURE_MISMATCH',
      'STALE_STATE',
      'CONFIRMATION_MISSING',
      'SEMANTIC_INVALIDITY',
      'PERMISSION_DENIED',
      'POLICY_VIOLATION',
      'BUDGET_EXHAUSTED',
    ]) {
      expect(classes).toContain(name)
    }
    expect(result.steps.filter((step) => step.replayed)).toHaveLength(2)
    expect(result.steps.flatMap((step) => step.errors.map(({ field }) => field))).toContain('line_items[1].quantity')
  })

  it('tells the model why, for every kind of refusal', () => {
    const told = played.result.steps.flatMap((step) => step.errors.map(({ message }) => message)).join('\n')
    for (const words of [
      'Required scopes that are missing: payments:charge.',
      'policy cedar/only-billing-charges',
      'rule permission/organisation/auditors-read',
      'Cards are charged in EUR, GBP and USD.',
      'Only an open invoice is charged',
      '37.3 EUR left',
      'A person rejected this call.',
      'policy label/confidential-egress',
    ]) {
      expect(told).toContain(words)
    }
    expect(played.text).toContain('label/untrusted-write')
    expect(played.result.questions.map(({ kind }) => kind)).toEqual(['suspicious_denial', 'suspicious_denial'])
  })

  it('shows the packet of the charge as a card, and nobody a key [TC-398]', () => {
    const { text } = played
    for (const label of [
      'Action',
      'Tool',
      'Consequence',
      'Arguments',
      'Before State',
      'Expected After State',
      'Idempotency Fingerprint',
      'Risk Class',
      'Approval Expires',
      'Approvers',
      'Compensation',
      'If Rejected',
      'Trace',
    ]) {
      expect(text).toContain(`    | ${label}:`)
    }
    expect(text).toContain('Jon is told: Who asked for it')
    expect(text).not.toContain('pvk_')
  })

  it('sends one mail and makes one charge although their process is killed between effect and record [killed-after-effect-once]', () => {
    const { crash } = played.result
    expect(crash).toMatchObject({
      killed_by: 'SIGKILL',
      calls: [
        { what: 'mail', requests: [{ outcome: 'sent' }, { outcome: 'already_sent' }] },
        { what: 'charge', requests: [{ outcome: 'charged' }, { outcome: 'already_charged' }] },
      ],
      surprises: [],
    })
    for (const lost of crash?.calls ?? []) {
      expect(lost).toMatchObject({
        left: { status: 'RUNNING', effect: 'unknown', done: 1 },
        recovered: { status: 'SUCCESS', effect: 'happened', how: 'provider_key' },
        done: 1,
        again: { class: 'SUCCESS', effect: 'happened', replayed: true },
      })
      const [first, second] = lost.requests
      expect(second).toMatchObject({ key: first?.key, request_hash: first?.request_hash })
    }
  })

  it('bills one customer by a saga, and undoes what was done for another, in reverse [saga-compensates-in-reverse]', () => {
    const { sagas } = played.result
    expect(sagas.map(({ state }) => state)).toEqual(['COMPLETED', 'COMPENSATED'])
    const undone = sagas[1]?.journal.filter((line) => line.includes('ended back'))
    expect(undone).toEqual([expect.stringContaining('charge: SUCCESS'), expect.stringContaining('draft: SUCCESS')])
    expect(sagas[1]?.approvals.map(({ step }) => step)).toEqual(['charge', 'receipt'])
  })

  it('replays every call of a known tool without a difference', () => {
    const { result } = played
    const ids = new Set(result.steps.filter(({ ended_by }) => ended_by !== 'resolve').map(({ call_id }) => call_id))
    // The sagas add nine: four steps, three steps, and two on the way back. The crash adds four: the two calls that died, and the two that
    // were answered from their records.
    expect(result.replay).toMatchObject({ calls: ids.size + 9 + 4, differences: 0 })
    expect(result.replay.gates).toBeGreaterThan(100)
  })

  it('says that the tools which move money are refused on memory, and why', () => {
    const { result, text } = played
    expect(result.refused_on_memory.map(({ tool, people }) => [tool, people])).toEqual([
      ['charge_customer_card_v2', 2],
      ['refund_charge_v1', 2],
    ])
    for (const { problems } of result.refused_on_memory)
      expect(problems.join()).toContain('critical-on-ephemeral-ledger')
    expect(text).toContain('needs a durable ledger and 2 people')
    expect(text).toContain('The duplicate sent nothing')
  })

  it('fits into 100 columns and uses no colour unless asked', () => {
    const { text } = played
    expect(text).toBe(stripVTControlCharacters(text))
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  it('starts from the same morning each time, in colour, and touches no file that is not its own', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'mine.txt'), 'keep')
    await writeFile(join(folder, 'outbox.jsonl'), '{"left":"from an earlier demo"}\n')
    const { result, text, world } = await run({ folder, colour: true })
    expect(result.surprises).toEqual([])
    expect(world).toEqual(played.world)
    expect(text).not.toBe(stripVTControlCharacters(text))
    expect(await readFile(join(folder, 'mine.txt'), 'utf8')).toBe('keep')
  })

  it('stops before its next step when told to, and leaves neither process nor folder behind', async () => {
    const ending = new AbortController()
    const temporary = await newFolder()
    vi.stubEnv('TMPDIR', temporary)
    try {
      const demo = runDemo({ colour: false, write: () => ending.abort(), signal: ending.signal })
      await expect(demo).rejects.toThrow('aborted')
      expect(await readdir(temporary)).toEqual([])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('notices a step that comes out otherwise than expected', async () => {
    const { proviso, desk } = await openWorld()
    const proposal = { tool: 'fetch_invoice_v1', arguments: '{"invoice_id":"inv_1001"}' }
    const answer = await proviso.call({ ...proposal, callId: 'call_1' }, { ...clerk, run: 'run_1' })
    const { id: callId, facts } = await recordedCall(proviso, { tenant: 'kestrel', run: 'run_1', callId: 'call_1' })
    const counts = await countEffects(desk)
    const step = {
      title: '',
      says: '',
      proposal,
      expect: { class: 'STALE_STATE', effect: 'happened', endedBy: 'state', adds: 'mails' },
    } as const
    const { surprises } = reportStep({ number: 1, callId, step, answer, facts, before: counts, after: counts })
    expect(surprises).toHaveLength(4)
  })
})
