// The demo for a person in a terminal of 100 columns. Shows what was found; decides nothing.
import colours from 'picocolors'
import type { Packet, ToolSource } from '../../../src/index.ts'
import { renderCard } from '../../../src/public/people.ts'
import { phases } from '../../../src/public/tables.ts'
import { epochMs } from '../../../src/public/testing.ts'
import { expectedCounts } from '../scenario.ts'
import type { Step } from '../step.ts'
import type { EffectCounts } from '../world/desk.ts'
import { argumentText } from './argument-text.ts'
import type { CrashReport } from './crash.ts'
import type { DemoResult, Refusal, StepReport } from './report.ts'
import type { SagaReport } from './sagas.ts'
import { wrap } from './wrap.ts'

const indent = 4
const labelWidth = 12
const textWidth = 100 - indent - labelWidth
const nameWidth = 28

const marks: ReadonlyMap<string, string> = new Map([
  ['pass', '✓'],
  ['stop', '✗'],
  ['wait', '‖'],
  ['end', '↺'],
  ['again', '↑'],
])

type Style = (text: string) => string

export interface Opening {
  readonly tools: readonly ToolSource[]
  readonly refused: readonly Refusal[]
  /** Why there is no durable ledger, where there is none. */
  readonly missing: string | null
  readonly hasPolicies: boolean
}

export interface ShownStep {
  readonly step: Step
  /** What came of what happened meanwhile. */
  readonly told: readonly string[]
  readonly report: StepReport
  readonly earlier: readonly StepReport[]
  readonly packet: Packet | undefined
}

export interface Timeline {
  opening(opening: Opening): void
  step(shown: ShownStep): void
  saga(report: SagaReport, number: number): void
  crash(report: CrashReport, number: number): void
  closing(result: DemoResult): void
}

export function createTimeline(write: (text: string) => void, colour: boolean): Timeline {
  const paint = colours.createColors(colour)
  const plain: Style = (text) => text
  const line = (text = '') => write(`${text}\n`)

  /** One labelled paragraph; what does not fit goes on below. */
  const entry = (label: string, text: string, style: Style = plain) => {
    for (const [index, part] of wrap(text, textWidth).entries()) {
      line(`${' '.repeat(indent)}${paint.dim((index === 0 ? label : '').padEnd(labelWidth))}${style(part)}`)
    }
  }

  const card = (packet: Packet) => {
    for (const text of renderCard(packet, { width: 100 - indent, now: epochMs(Date.now()) }).split('\n'))
      line(`${' '.repeat(indent)}${paint.yellow(text)}`)
  }

  const heading = (text: string) => {
    line()
    line(paint.bold(text))
  }

  const toneOf = ({ replayed, effect, class: outcome }: StepReport): Style => {
    if (replayed) return paint.cyan
    if (effect === 'pending') return paint.yellow
    return outcome === 'SUCCESS' ? paint.green : paint.red
  }

  return {
    opening({ tools, refused, missing, hasPolicies }) {
      heading('The billing desk')
      line('A scripted agent proposes; Proviso decides, executes at most once, verifies and records.')
      line()
      for (const { contract } of tools) {
        line(`    ${contract.identity.name.padEnd(nameWidth)}${paint.dim(contract.transactional.side_effect_class)}`)
      }
      for (const { tool, effect_class } of refused) {
        const where = missing === null ? paint.dim('durable ledgers only') : paint.red('refused at registration')
        line(`    ${tool.padEnd(nameWidth)}${paint.dim(effect_class)}  ${where}`)
      }
      line()
      for (const problem of new Set(refused.flatMap(({ problems }) => problems)))
        entry(missing === null ? 'on memory' : 'refused', problem, paint.red)
      const people = Math.max(...refused.map((refusal) => refusal.people))
      entry(
        '',
        `What moves money needs a durable ledger and ${people} people, for each call or for a set of calls. This demo runs on ${
          missing === null ? 'a Postgres of its own, so all ten tools are registered.' : 'memory.'
        }`,
      )
      if (missing !== null)
        entry('', `${missing} Then money moves in a second act, and a process is killed in the last step.`)
      if (!hasPolicies) entry('', 'Without @cedar-policy/cedar-wasm the policies of the organisation are not in force.')
      entry('phases', phases.map(({ number, name }) => `${number}\u00a0${name}`).join(' · '), paint.dim)
      entry('marks', '✓ passed  ✗ refused  ‖ waits for a person  ↺ answered from the record  · not reached', paint.dim)
    },

    step({ step, told, report, earlier, packet }) {
      if (step.act !== undefined) heading(step.act)
      heading(`${String(report.number).padStart(2)}  ${report.title}`)
      if (step.meanwhile !== undefined) entry('meanwhile', step.meanwhile.says, paint.magenta)
      for (const text of told) entry('', text)
      entry('agent', report.tool, paint.cyan)
      entry('', argumentText(report, earlier), paint.dim)
      entry('phases', track(report))
      const source = report.replayed ? ' · from the record' : ''
      entry('answer', `${report.class} · effect ${report.effect} · next ${report.next_action}${source}`, toneOf(report))
      for (const { field, expected, actual, message } of report.errors) {
        if (field !== '$') entry('at', `${field}: expected ${expected}, got ${actual}`, paint.red)
        entry(field === '$' ? 'why' : '', message)
      }
      for (const warning of report.warnings) entry('warning', warning, paint.yellow)
      if (packet !== undefined && report.effect === 'pending') {
        if (step.card === true) card(packet)
        else {
          entry('packet', packet.consequence, paint.yellow)
          for (const { source, message } of packet.riskClass.why) entry('', `${message} (${source})`)
          entry('people', votesText(packet))
        }
      }
      entry('world', addedText(report.added))
      entry('', step.says, paint.dim)
      for (const surprise of report.surprises) entry('WRONG', surprise, paint.red)
    },

    saga({ title, state, steps, approvals, turned, journal, added, says, surprises }, number) {
      heading(`${String(number).padStart(2)}  ${title}`)
      for (const { id, tool, state: of } of steps)
        entry(id, `${tool}: ${of}`, of === 'done' ? paint.green : of === 'undone' ? paint.yellow : plain)
      for (const { step, by } of approvals) entry('people', `${by.join(' and ')} approve the ${step}`, paint.magenta)
      if (turned !== null) entry('turns back', turned, paint.red)
      entry('journal', journal.join(' · '), paint.dim)
      entry('saga', state, state === 'COMPLETED' ? paint.green : paint.yellow)
      entry('world', addedText(added))
      entry('', says, paint.dim)
      for (const surprise of surprises) entry('WRONG', surprise, paint.red)
    },

    crash({ title, killed_by, calls, surprises }, number) {
      heading(`${String(number).padStart(2)}  ${title}`)
      entry('meanwhile', 'People approve both; another process makes the calls.', paint.magenta)
      const taken = calls.map(({ what, left }) => `${left.done} ${what}`).join(' and ')
      entry('dies', `${killed_by ?? 'nothing'}: the providers have ${taken}, the record does not say so`, paint.red)
      for (const { what, left, recovered, requests, done, again } of calls) {
        entry(what, `${left.status} · effect ${left.effect}: it may not simply be done again`, paint.yellow)
        entry(
          '',
          `recovered by ${recovered.how ?? 'nothing'}, in this process, once the lease of the dead one has run out`,
        )
        for (const { outcome, key, request_hash } of requests)
          entry('', `provider: ${outcome}, key ${key.slice(0, 12)}, request ${request_hash.slice(0, 12)}`, paint.dim)
        entry('', `${recovered.status} · effect ${recovered.effect}`, paint.green)
        const source = again.replayed ? ' · from the record' : ''
        entry('', `the same call again: ${again.class} · effect ${again.effect}${source}`, paint.cyan)
        entry('', `${done} ${what} in the world`)
      }
      entry('', 'The same bytes under the same key: the provider answers from its memory and does nothing.', paint.dim)
      for (const surprise of surprises) entry('WRONG', surprise, paint.red)
    },

    closing({ folder, counts, questions, replay, surprises, steps, sagas, crash, ok }) {
      heading('What is in the world')
      for (const [name, count] of Object.entries(counts)) {
        const expected = expectedCounts(crash !== null)[name as keyof EffectCounts]
        const text = `    ${wordFor(name, 2).padEnd(16)}${String(count).padStart(3)}`
        line(count === expected ? text : paint.red(`${text}  expected ${expected}`))
      }
      line()
      const duplicates = steps.filter((step) => step.replayed).length
      entry(
        'duplicates',
        `${duplicates} were answered from the record. The duplicate sent nothing, and no person was asked twice.`,
      )
      for (const { kind, message } of questions)
        entry('question', `${kind.replaceAll('_', ' ')}: ${message}`, paint.yellow)
      entry('replay', `${replay.calls} calls: ${replay.gates} gates decided again, ${replay.differences} differences.`)
      if (folder !== null) entry('files', folder)
      line()
      for (const surprise of surprises) line(paint.red(`✗ ${surprise}`))
      const verdict = ok
        ? `✓ All ${steps.length + sagas.length + (crash === null ? 0 : 1)} steps and the world came out as the scenario says.`
        : '✗ The demo did not keep its word.'
      line(ok ? paint.green(verdict) : paint.red(verdict))
    },
  }
}

/** One mark per phase of the pipeline, and the phase that decided. */
function track({ phases: reached, ended_by }: StepReport): string {
  const verdicts = new Map(reached.map(({ name, verdict }) => [name, verdict]))
  const row = phases.map(({ name }) => marks.get(verdicts.get(name) ?? '') ?? '·').join('')
  const end = phases.find(({ name }) => name === ended_by)
  return `${row}  ${end === undefined ? 'all passed' : `${end.number} ${end.name}`}`
}

/** Who has to decide, and who has. */
function votesText({ approvers: { requirement, decisions } }: Packet): string {
  const wanted = requirement.demands.map(({ quorum, roles }) => `${quorum} × ${roles.join(' or ')}`)
  const voted = decisions.map(({ by, verdict }) => `${by} ${verdict}`)
  return `${wanted.join(' and ')}; so far ${voted.join(', ') || 'no vote'}`
}

function addedText(added: Partial<EffectCounts>): string {
  const parts = Object.entries(added).map(([name, by]) => `+${by} ${wordFor(name, by)}`)
  return parts.length === 0 ? 'unchanged' : parts.join(', ')
}

function wordFor(name: string, count: number): string {
  const words = name.replaceAll('_', ' ')
  return count === 1 ? words.replace(/s$/, '') : words
}
