// An explanation for a person's eyes: the outcome first, then the phases as they ran.
import { effectWords } from '../call/show-answer.ts'
import { plainText } from '../plain-text.ts'
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
    ['call', `${call.id}  ${dim(call.started_at)}`],
    ['tool', plainText(`${call.tool} ${call.version}${call.effect_class === null ? '' : `, ${call.effect_class}`}`)],
    ['who', plainText([`tenant ${call.tenant}`, call.user ?? 'no user', `run ${call.run ?? '–'}`].join(', '))],
    ['arguments', plainText(JSON.stringify(call.arguments))],
    ['outcome', bold(explanation.class)],
    [
      'decided by',
      by === null ? 'nobody objected: every phase passed' : `phase ${by.number}, ${by.phase}: ${by.verdict}`,
    ],
    ...explanation.messages.map((message) => ['', plainText(message)]),
    ['effect', `${bold(explanation.effect)}  ${dim(words)}`],
    ...explanation.warnings.map((warning) => ['warning', plainText(warning)]),
    ...explanation.promised.map((promise, index) => [index === 0 ? 'promised' : '', promise]),
    ['next', `${bold(explanation.next_action)}  ${dim(explanation.next_step)}`],
  ]
  const summary = textTable(rows.map(([name = '', value = '']) => [dim(name), value]))
  const passes = Map.groupBy(explanation.timeline, ({ pass }) => pass)
  const timelines = [...passes].map(([pass, steps]) =>
    [passTitle(pass, passes.size, steps, colours), stepTable(steps, colours)].join('\n'),
  )
  return [summary, ...timelines].join('\n\n')
}

function passTitle(pass: number, total: number, steps: readonly Step[], { bold, dim }: Colours): string {
  const micros = steps.reduce((sum, step) => sum + step.micros, 0)
  const title = total === 1 ? 'Phases' : `Phases, pass ${pass}`
  return `${bold(title)}  ${dim(`${steps[0]?.at ?? ''}, ${micros.toLocaleString('en')} µs`)}`
}

function stepTable(steps: readonly Step[], { dim, green, red, yellow }: Colours): string {
  const shade = (step: Step) => (step.verdict === 'pass' ? green : step.verdict.startsWith('stop') ? red : yellow)
  return textTable(
    steps.map((step) => [
      String(step.number).padStart(2),
      step.phase,
      dim(`${step.micros.toLocaleString('en')} µs`.padStart(10)),
      shade(step)(step.verdict),
      dim(step.evidence),
    ]),
    { indent: '  ' },
  )
}
