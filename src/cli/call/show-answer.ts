// An answer for a person's eyes: what it came to, whether it happened, what to do next, and every field error.
import type { WireAnswer } from '../../contract/wire.ts'
import { effectWords, nextSteps } from '../outcome-words.ts'
import { lineText, safeText, shortText } from '../plain-text.ts'
import { fieldTable, textTable } from '../print.ts'
import type { Colours } from '../terminal.ts'

export function showAnswer(answer: WireAnswer, colours: Colours): string {
  const { observation, effect, response } = answer
  const { status, tool_identity, execution_metadata, result_payload } = observation
  const { bold, dim, green, red, yellow } = colours
  const shade = !status.is_error ? green : effect === 'pending' ? yellow : red
  const reason = result_payload.errors[0]?.code
  const head = [`${shade(bold(status.taxonomy_class))}${reason === undefined ? '' : dim(` · ${lineText(reason)}`)}`]
  const rows: [string, string][] = [
    ['tool', lineText(`${tool_identity.name}${tool_identity.version === '' ? '' : ` ${tool_identity.version}`}`)],
    [
      'call',
      `${tool_identity.call_id}  ${dim(`${execution_metadata.latency_ms} ms${execution_metadata.idempotency_hit ? ', answered from the record' : ''}`)}`,
    ],
    ['effect', `${bold(effect)}  ${dim(effectWords[effect])}`],
    ['next', `${bold(response.next_action)}  ${dim(nextSteps[response.next_action])}`],
  ]
  if (answer.retry_after_ms !== undefined) rows.push(['wait', `${answer.retry_after_ms} ms`])
  if (answer.approval !== undefined)
    rows.push(['approval', `${answer.approval.id}, until ${answer.approval.expires_at}`])
  for (const warning of result_payload.warnings) rows.push(['warning', yellow(lineText(warning))])
  const parts = [...head, fieldTable(rows, colours, { indent: '  ' })]
  parts.push(...errorLines(answer, colours))
  const value = answer.value ?? result_payload.data
  if (value !== null && value !== undefined) parts.push(safeText(JSON.stringify(value, null, 2)))
  return parts.join('\n')
}

function errorLines(answer: WireAnswer, { dim, bold }: Colours): readonly string[] {
  const fields = answer.feedback?.field_errors ?? []
  const general = answer.observation.result_payload.errors
  if (fields.every(({ field }) => field === '$')) return general.map(({ message }) => `  ${lineText(message)}`)
  const rows = fields.map(({ field, expected, actual, message }) => [
    bold(shortText(field, 40)),
    shortText(expected, 48),
    shortText(actual, 32),
    lineText(message),
  ])
  return [
    textTable([['field', 'expected', 'actual', 'what to do'].map((title) => dim(title)), ...rows], { indent: '  ' }),
  ]
}
