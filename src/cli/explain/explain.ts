// `proviso explain`: a call on record as a timeline of its facts, and what follows from it. It needs the ledger alone: the process that
// made the call may be gone, and the code of its tool unknown here.
import { type CommandBody, jsonOption } from '../command.ts'
import { findCall } from '../find-record.ts'
import { ledgerOptions } from '../ledger/ledger-place.ts'
import { withLedger } from '../ledger/open-ledger.ts'
import { effectWords } from '../outcome-words.ts'
import { lineText } from '../plain-text.ts'
import { fieldTable, printResult, textTable } from '../print.ts'
import type { Colours } from '../terminal.ts'
import { type Explanation, explanationOf, type TimelineStep } from './explanation.ts'

export const explainCommand: CommandBody = {
  arguments: [{ syntax: '<call>', about: 'call id, its beginning, or "latest"' }],
  options: [...ledgerOptions, jsonOption],
  examples: ['proviso explain latest', 'proviso explain 0199c2f1-7a --json'],
  exits: ['explained', 'does not occur', 'no such call, or a ledger that is missing or cannot be opened'],
  run: (io) =>
    withLedger(io, async (ledger) => {
      const found = await findCall(ledger, io.words[0] ?? '')
      if (!found.ok) return found.result
      const call = found.value
      const { tenant } = call.key
      const [facts, contract, escalations] = await Promise.all([
        ledger.calls.facts(call.id, tenant),
        ledger.calls.contract(call.contractHash),
        ledger.calls.escalations(tenant),
      ])
      const questions = escalations.filter(({ callId }) => callId === call.id)
      const explanation = explanationOf({ call, facts, contract, questions })
      return printResult(io, explanation, showExplanation(explanation, io.colours))
    }),
}

/** For a person's eyes: the outcome first, then the phases as they ran. */
export function showExplanation(explanation: Explanation, colours: Colours): string {
  const { bold, dim } = colours
  const { call } = explanation
  const words = Object.hasOwn(effectWords, explanation.effect)
    ? effectWords[explanation.effect as keyof typeof effectWords]
    : ''
  const by = explanation.decided_by
  const fields: readonly [string, string][] = [
    ['call', `${lineText(call.id)}  ${dim(lineText(call.started_at))}`],
    ['tool', lineText(`${call.tool} ${call.version}${call.effect_class === null ? '' : `, ${call.effect_class}`}`)],
    ['who', lineText([`tenant ${call.tenant}`, call.user ?? 'no user', `run ${call.run ?? '–'}`].join(', '))],
    ['arguments', lineText(JSON.stringify(call.arguments))],
    ['outcome', bold(lineText(explanation.class))],
    [
      'decided by',
      by === null ? 'no phase: every phase passed' : lineText(`phase ${by.number}, ${by.phase}: ${by.verdict}`),
    ],
    ...(by?.by ?? []).map(({ name, says, version }): [string, string] => [
      '',
      lineText(`${name} says ${says}${versionText(version)}`),
    ]),
    ...explanation.messages.map((message): [string, string] => ['', lineText(message)]),
    ['effect', `${bold(lineText(explanation.effect))}  ${dim(words)}`],
    ...explanation.warnings.map((warning): [string, string] => ['warning', lineText(warning)]),
    ...verificationFields(explanation),
    ...explanation.questions.map(({ kind, message, at }): [string, string] => [
      'open',
      lineText(`${message} (${kind}, since ${at})`),
    ]),
    ...explanation.promised.map((promise, index): [string, string] => [
      index === 0 ? 'promised' : '',
      lineText(promise),
    ]),
    ['next', `${bold(lineText(explanation.next_action))}  ${dim(lineText(explanation.next_step))}`],
  ]
  const summary = fieldTable(fields, colours)
  const passes = Map.groupBy(explanation.timeline, ({ pass }) => pass)
  const timelines = [...passes].map(([pass, steps]) =>
    [passTitle(pass, passes.size, steps, colours), stepTable(steps, colours)].join('\n'),
  )
  return [summary, ...timelines].join('\n\n')
}

function verificationFields({ verification }: Explanation): readonly [string, string][] {
  if (verification === null) return []
  const { state, discrepancy, execution, reconciliation, trust, action, message, unmet, due } = verification
  const found = discrepancy === null ? '' : `, ${discrepancy.replaceAll('_', ' ')}`
  const next = due === null ? '' : `, read next at ${due}`
  return [
    ['verified', lineText(`${state}${found}, trust ${trust} of 4${next}`)],
    ['', lineText(`execution ${execution}, reconciliation ${reconciliation}, action ${action.replaceAll('_', ' ')}`)],
    ...(message === '' ? [] : [['', lineText(message)] satisfies [string, string]]),
    ...unmet.map((place): [string, string] => ['', lineText(`not met: ${place}`)]),
  ]
}

const versionText = (version: string | null) => (version === null ? '' : `, version ${version.slice(0, 12)}`)

function passTitle(pass: number, total: number, steps: readonly TimelineStep[], { bold, dim }: Colours): string {
  const micros = steps.reduce((sum, step) => sum + step.micros, 0)
  const title = total === 1 ? 'Phases' : `Phases, pass ${pass}`
  return `${bold(title)}  ${dim(`${lineText(steps[0]?.at ?? '')}, ${micros.toLocaleString('en')} µs`)}`
}

function stepTable(steps: readonly TimelineStep[], { dim, green, red, yellow }: Colours): string {
  const shade = (step: TimelineStep) =>
    step.verdict === 'pass' ? green : step.verdict.startsWith('stop') ? red : yellow
  return textTable(
    steps.map((step) => [
      String(step.number).padStart(2),
      lineText(step.phase),
      dim(`${step.micros.toLocaleString('en')} µs`.padStart(10)),
      shade(step)(lineText(step.verdict)),
      dim(lineText(step.evidence)),
    ]),
    { indent: '  ' },
  )
}
