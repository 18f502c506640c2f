// Has a tool of an untrusted source return each output, in a run of its own, and reads from the facts what was flagged and from the ledger
// what the run carries afterwards. Nothing is asked of the detector directly.
import { defineTool, openProviso } from '../../src/index.ts'
import { isObject } from '../../src/json/value.ts'
import { memory } from '../../src/ledger/index.ts'
import type { LabelledOutput } from './labelled-outputs.ts'

export interface JudgedOutput extends Omit<LabelledOutput, 'output'> {
  readonly rules: readonly string[]
  readonly labelled: boolean
}

const tenant = 'measured'

export async function judgeOutputs(outputs: readonly LabelledOutput[]): Promise<readonly JudgedOutput[]> {
  const ledger = memory()
  let current: unknown
  const source = defineTool({
    name: 'external_source_v1',
    description: 'Reads what an outsider has written.',
    effect: 'READ_ONLY',
    input: { type: 'object', properties: {}, additionalProperties: false },
    rate: { windowSec: 1, maxRequests: 1_000_000 },
    execute: () => current as never,
  })
  const proviso = await openProviso({ ledger, tools: [source] })
  const judged: JudgedOutput[] = []
  for (const { output, ...row } of outputs) {
    current = output
    const run = `run ${row.id}`
    const { observation } = await proviso.call({ tool: 'external_source_v1', arguments: '{}' }, { tenant, run })
    if (observation.status.taxonomy_class !== 'SUCCESS')
      throw new Error(`${row.id} was not answered: ${JSON.stringify(observation.result_payload.errors)}`)
    const labels = await ledger.runs.labels(tenant, run)
    const facts = await proviso.calls.facts(observation.tool_identity.call_id)
    judged.push({ ...row, rules: rulesOf(facts), labelled: labels.includes('untrusted') })
  }
  await proviso.close()
  return judged
}

function rulesOf(facts: readonly { readonly phase: string; readonly evidence: unknown }[]): readonly string[] {
  const evidence = facts.find(({ phase }) => phase === 'normalize')?.evidence as Record<string, unknown> | undefined
  const suspected = Array.isArray(evidence?.suspected) ? evidence.suspected : []
  return suspected.flatMap((entry) => (isObject(entry) && typeof entry.rule === 'string' ? [entry.rule] : []))
}
