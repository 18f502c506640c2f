// The demo: a scripted agent at the billing desk, on a ledger that survives its process. It checks every step and the world afterwards
// against the scenario, and says so. Nothing of it stays: no process, no folder.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Fault, openProviso, type Proviso, type ToolSource } from '../../src/index.ts'
import { clerk, tenant } from './clerk.ts'
import { playCrash } from './demo/crash.ts'
import { type DemoLedger, openDemoLedger } from './demo/demo-ledger.ts'
import { recordedCall } from './demo/recorded-call.ts'
import { type DemoResult, difference, type Refusal, reportStep, type StepReport } from './demo/report.ts'
import { playSagas } from './demo/sagas.ts'
import { createTimeline, type Timeline } from './demo/timeline.ts'
import { governance } from './governance.ts'
import { moneyScenario } from './money-scenario.ts'
import { people } from './people.ts'
import { expectedCounts, scenario } from './scenario.ts'
import type { Stage, Step } from './step.ts'
import { billingTools } from './tools.ts'
import { clearDesk, countEffects, type Desk, openDesk } from './world/desk.ts'

const run = 'run_demo'

export interface DemoOptions {
  write(text: string): void
  readonly colour: boolean
  /** Where the world lies; its files from an earlier demo are removed first. A temporary folder, removed afterwards, when none is given. */
  readonly folder?: string
  /** One JSON object instead of the timeline. */
  readonly json?: boolean
  /** Milliseconds between two steps, for people who read along. */
  readonly pause?: number
  /** Ends the demo before its next step; it still clears up after itself. */
  readonly signal?: AbortSignal
}

export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'proviso-demo-')))
  try {
    const ledger = await openDemoLedger()
    try {
      return await playOn(ledger, folder, options)
    } finally {
      await ledger.remove()
    }
  } finally {
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
  }
}

async function playOn(ledger: DemoLedger, folder: string, options: DemoOptions): Promise<DemoResult> {
  const { kind, missing } = ledger
  const desk = await newMorning(folder)
  const { everyday, critical, saga } = billingTools(desk)
  const timeline = createTimeline(options.json === true ? () => {} : options.write, options.colour)
  const refused = await Promise.all(critical.map(refusalOf))
  const tools = kind === 'durable' ? [...everyday, ...critical, ...saga] : everyday
  const rules = governance()
  const hasPolicies = rules.policies.length > 0
  const acts = kind === 'durable' ? [...scenario, ...moneyScenario] : scenario
  const script = acts.filter(({ needs }) => needs === undefined || hasPolicies)
  const proviso = await openProviso({ tools, tenants: [tenant], ledger: ledger.ledger, identity: people, ...rules })
  try {
    timeline.opening({ tools: everyday, refused, missing, hasPolicies })
    const steps = await play({ desk, proviso }, script, options, timeline)
    options.signal?.throwIfAborted()
    const sagas = kind === 'durable' ? await playSagas({ desk, proviso }) : []
    for (const [index, report] of sagas.entries()) timeline.saga(report, steps.length + index + 1)
    options.signal?.throwIfAborted()
    const crash = kind === 'durable' ? await playCrash({ desk, proviso }, ledger.folder) : null
    if (crash !== null) timeline.crash(crash, steps.length + sagas.length + 1)
    const result = judge({
      folder: options.folder ?? null,
      ledger: kind,
      without_ledger: missing,
      policies: hasPolicies,
      refused_on_memory: refused,
      steps,
      sagas,
      crash,
      counts: await countEffects(desk),
      questions: (await proviso.escalations.list(tenant)).map(({ kind: what, message }) => ({ kind: what, message })),
      replay: await replayAll(proviso),
    })
    timeline.closing(result)
    if (options.json === true) options.write(`${JSON.stringify(result, null, 2)}\n`)
    return result
  } finally {
    await proviso.close()
  }
}

async function newMorning(folder: string): Promise<Desk> {
  await clearDesk(folder)
  return openDesk(folder)
}

/** Tries to register a tool that moves money on a ledger that a crash would empty. */
async function refusalOf(source: ToolSource): Promise<Refusal> {
  const { contract, binding } = source
  const refusal = {
    tool: contract.identity.name,
    effect_class: contract.transactional.side_effect_class,
    people: binding.approval.quorum,
  }
  try {
    const opened = await openProviso({ tools: [source] })
    await opened.close()
    return { ...refusal, problems: [] }
  } catch (error) {
    if (error instanceof Fault && error.code === 'registration_refused') return { ...refusal, problems: error.details }
    throw error
  }
}

async function play(
  stage: Stage,
  script: readonly Step[],
  options: DemoOptions,
  timeline: Timeline,
): Promise<readonly StepReport[]> {
  const { desk, proviso } = stage
  const { pause = 0, signal } = options
  const reports: StepReport[] = []
  for (const [index, step] of script.entries()) {
    if (index > 0 && pause > 0) await setTimeout(pause)
    signal?.throwIfAborted()
    const told = (await step.meanwhile?.act(stage)) ?? []
    const before = await countEffects(desk)
    const context = { ...clerk, run, ...step.context }
    const answer = await proviso.call(step.proposal, context)
    const after = await countEffects(desk)
    const { id, facts } = await recordedCall(proviso, {
      tenant,
      run: context.run,
      callId: step.proposal.callId,
    })
    const report = reportStep({ number: index + 1, callId: id, step, answer, facts, before, after })
    const waiting = answer.approval === undefined ? undefined : await proviso.approvals.get(answer.approval.id, tenant)
    timeline.step({ step, told, report, earlier: reports, packet: waiting?.packet })
    reports.push(report)
  }
  return reports
}

/** Decides every gate of every call again, on what was recorded. A call of an unknown tool has no contract to be judged by. */
async function replayAll(proviso: Proviso): Promise<DemoResult['replay']> {
  const judged = (await proviso.calls.list({ tenant })).filter((call) => call.contractHash !== '')
  const passes = (await Promise.all(judged.map(({ id }) => proviso.calls.replay(id)))).flat()
  return {
    calls: judged.length,
    gates: passes.reduce((sum, { gates }) => sum + gates, 0),
    differences: passes.reduce((sum, { divergences }) => sum + divergences.length, 0),
  }
}

function judge(found: Omit<DemoResult, 'ok' | 'surprises'>): DemoResult {
  const surprises = [
    ...found.refused_on_memory
      .filter(({ problems }) => problems.length === 0)
      .map(({ tool }) => `${tool} was registered on memory`),
    ...found.steps.flatMap(({ number, surprises: own }) => own.map((surprise) => `step ${number}, ${surprise}`)),
    ...found.sagas.flatMap(({ title, surprises: own }) => own.map((surprise) => `${title}, ${surprise}`)),
    ...(found.crash?.surprises ?? []).map((surprise) => `the crash: ${surprise}`),
    ...Object.entries(difference(expectedCounts(found.crash !== null), found.counts)).map(
      ([name, by]) => `${name}: ${by > 0 ? '+' : ''}${by} against the scenario`,
    ),
    ...(found.replay.differences === 0 ? [] : [`${found.replay.differences} verdicts differ on replay`]),
  ]
  return { ok: surprises.length === 0, ...found, surprises }
}
