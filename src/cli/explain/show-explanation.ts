// An explanation for a person's eyes: the outcome first, then the phases as they ran.
import { effectWords } from '../call/show-answer.ts'
import { lineText } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'
import { textTable } from '../text-table.ts'
import type { Explanation, Step } from './explanation.ts'

export function showExplanation(explanation: Explanation, colours: Colours): string {
  const { bold, dim } = colours
  const { call } = explanation
  const words = Object.hasOwn(effectWords, explanation.effect)
    ? effectWords[explanation.effect as keyof typeof effectWords]
    : ''
  const by = explanation.decided_by
  const rows = [
    ['call', `${lineText(call.id)}  ${dim(lineText(call.started_at))}`],
    ['tool', lineText(`${call.tool} ${call.version}${call.effect_class === null ? '' : `, ${call.effect_class}`}`)],
    ['who', lineText([`tenant ${call.tenant}`, call.user ?? 'no user', `run ${call.run ?? '–'}`].join(', '))],
    ['arguments', lineText(JSON.stringify(call.arguments))],
    ['outcome', bold(lineText(explanation.class))],
    [
      'decided by',
      by === null ? 'nobody objected: every phase passed' : lineText(`phase ${by.number}, ${by.phase}: ${by.verdict}`),
    ],
    ...(by?.by ?? []).map(({ name, says, version }) => ['', lineText(`${name} says ${says}${versionText(version)}`)]),
    ...explanation.messages.map((message) => ['', lineText(message)]),
    ['effect', `${bold(lineText(explanation.effect))}  ${dim(words)}`],
    ...explanation.warnings.map((warning) => ['warning', lineText(warning)]),
    ...verificationRows(explanation),
    ...explanation.questions.map(({ kind, message, at }) => ['open', lineText(`${message} (${kind}, since ${at})`)]),
    ...explanation.promised.map((promise, index) => [index === 0 ? 'promised' : '', lineText(promise)]),
    ['next', `${bold(lineText(explanation.next_action))}  ${dim(lineText(explanation.next_step))}`],
  ]
  const summary = textTable(rows.map(([name = '', value = '']) => [dim(name), value]))
  const passes = Map.groupBy(explanation.timeline, ({ pass }) => pass)
  const timelines = [...passes].map(([pass, steps]) =>
    [passTitle(pass, passes.size, steps, colours), stepTable(steps, colours)].join('\n'),
  )
  return [summary, ...timelines].join('\n\n')
}

function verificationRows({ verification }: Explanation): readonly string[][] {
  if (verification === null) return []
  const { state, discrepancy, execution, reconciliation, trust, action, message, unmet, due } = verification
  const found = discrepancy === null ? '' : `, ${discrepancy.replaceAll('_', ' ')}`
  const next = due === null ? '' : `, read next at ${due}`
  return [
    ['verified', lineText(`${state}${found}, trust ${trust} of 4${next}`)],
    ['', lineText(`execution ${execution}, reconciliation ${reconciliation}, action ${action.replaceAll('_', ' ')}`)],
    ...(message === '' ? [] : [['', lineText(message)]]),
    ...unmet.map((place) => ['', lineText(`not met: ${place}`)]),
  ]
}

const versionText = (version: string | null) => (version === null ? '' : `, version ${version.slice(0, 12)}`)

function passTitle(pass: number, total: number, steps: readonly Step[], { bold, dim }: Colours): string {
  const micros = steps.reduce((sum, step) => sum + step.micros, 0)
  const title = total === 1 ? 'Phases' : `Phases, pass ${pass}`
  return `${bold(title)}  ${dim(`${lineText(steps[0]?.at ?? '')}, ${micros.toLocaleString('en')} µs`)}`
}

function stepTable(steps: readonly Step[], { dim, green, red, yellow }: Colours): string {
  const shade = (step: Step) => (step.verdict === 'pass' ? green : step.verdict.startsWith('stop') ? red : yellow)
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
