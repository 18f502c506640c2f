// The demo: a scripted agent at the billing desk, on the ledger in memory. It checks every step and the world afterwards against the
// scenario, and says so.
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Fault, openProviso, type Proviso, type ToolSource } from '../../src/index.ts'
import { clerk, tenant } from './clerk.ts'
import { type DemoResult, difference, type Refusal, reportStep, type StepReport } from './demo/report.ts'
import { createTimeline, type Timeline } from './demo/timeline.ts'
import { expectedCounts, type Stage, scenario } from './scenario.ts'
import { billingTools } from './tools.ts'
import { clearDesk, countEffects, openDesk } from './world/desk.ts'

const run = 'run_demo'

export interface DemoOptions {
  write(text: string): void
  readonly colour: boolean
  /** Where the world lies; its files from an earlier demo are removed first. A new temporary folder when none is given. */
  readonly folder?: string
  /** One JSON object instead of the timeline. */
  readonly json?: boolean
  /** Milliseconds between two steps, for people who read along. */
  readonly pause?: number
}

export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'proviso-demo-')))
  await clearDesk(folder)
  const desk = await openDesk(folder)
  const { everyday, critical } = billingTools(desk)
  const timeline = createTimeline(options.json === true ? () => {} : options.write, options.colour)

  const refused = await Promise.all(critical.map(refusalOf))
  const proviso = await openProviso({ tools: everyday, tenants: [tenant] })
  try {
    timeline.opening(everyday, refused)
    const steps = await play({ desk, proviso }, options.pause ?? 0, timeline)
    const counts = await countEffects(desk)
    const replay = await replayAll(proviso)
    const result = judge({ folder, refused_on_memory: refused, steps, counts, replay })
    timeline.closing(result)
    if (options.json === true) options.write(`${JSON.stringify(result, null, 2)}\n`)
    return result
  } finally {
    await proviso.close()
  }
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

async function play(stage: Stage, pause: number, timeline: Timeline): Promise<readonly StepReport[]> {
  const { desk, proviso } = stage
  const reports: StepReport[] = []
  for (const [index, step] of scenario.entries()) {
    if (index > 0 && pause > 0) await setTimeout(pause)
    await step.meanwhile?.act(stage)
    const before = await countEffects(desk)
    const answer = await proviso.call(step.proposal, { ...clerk, run, ...step.context })
    const after = await countEffects(desk)
    const [call] = (await proviso.calls.list({ tenant, run })).filter(
      ({ key }) => key.providerCallId === step.proposal.callId,
    )
    const callId = call?.id ?? ''
    const facts = await proviso.calls.facts(callId)
    const report = reportStep({ number: index + 1, callId, step, answer, facts, before, after })
    const [waiting] = answer.approval === undefined ? [] : await proviso.approvals.list({ status: 'pending' })
    timeline.step(step, report, reports, waiting?.packet)
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
    ...Object.entries(difference(expectedCounts, found.counts)).map(
      ([name, by]) => `${name}: ${by > 0 ? '+' : ''}${by} against the scenario`,
    ),
    ...(found.replay.differences === 0 ? [] : [`${found.replay.differences} verdicts differ on replay`]),
  ]
  return { ok: surprises.length === 0, ...found, surprises }
}
