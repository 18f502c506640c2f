// What registration refuses about the schemas themselves, judged by the prover and not by syntax: arguments that are not declared, and
// schemas that no value satisfies. Answers are kept by schema, because tools made per request are registered again and again.
import type { ContradictionRow, Occurrence } from '../contract/find-contradictions.ts'
import type { Registration } from '../contract/tool/contract-contradictions.ts'
import { boundedCache } from '../json/bounded-cache.ts'
import { canonicalize } from '../json/canonical.ts'
import type { Preprocessed } from '../schema/normal.ts'
import { inhabitsBoth } from '../subschema/inhabits.ts'
import { isClosed } from '../subschema/is-closed.ts'

const inputAt = '/contract/affordance/input_schema'
const outputAt = '/contract/affordance/output_schema'

export const schemaContradictions: readonly ContradictionRow<Registration>[] = [
  {
    id: 'input-not-closed',
    pointer: inputAt,
    remedy:
      'A strict tool takes no argument that its schema does not declare, and a tool that changes something is strict unless told otherwise; add additionalProperties: false (unevaluatedProperties: false beside allOf), or set strict to false.',
    find: ({ tool: { binding, input } }) => (binding.strict ? findOpening(input.form) : []),
  },
  {
    id: 'input-unsatisfiable',
    pointer: inputAt,
    remedy:
      'No arguments satisfy this schema, so the tool could never be called; look for constraints that exclude each other.',
    find: ({ tool }) => findEmptiness(tool.input.form, true),
  },
  {
    id: 'output-unsatisfiable',
    pointer: outputAt,
    remedy:
      'No result satisfies this schema, so every call would fail after its effect; look for constraints that exclude each other.',
    find: ({ tool }) => findEmptiness(tool.output.form, false),
  },
]

const openings = boundedCache<readonly Occurrence[]>(500)
const emptinesses = boundedCache<readonly Occurrence[]>(500)

/** Where the prover cannot tell, a strict schema counts as open: what cannot be shown closed is not taken for closed. */
function findOpening(form: Preprocessed): readonly Occurrence[] {
  return openings(form.hash, () => {
    const answer = isClosed(form)
    if (answer.verdict === 'closed') return []
    if (answer.verdict === 'open') {
      const example = canonicalize(answer.example).slice(0, 120)
      return [{ at: answer.pointer, detail: `It accepts ${example}.` }]
    }
    return [{ detail: `Whether it is closed cannot be told (${answer.construct}).` }]
  })
}

/** Only a proof of emptiness refuses; what cannot be told may well have values. */
function findEmptiness(form: Preprocessed, objectsOnly: boolean): readonly Occurrence[] {
  return emptinesses(`${objectsOnly} ${form.hash}`, () => {
    const { verdict } = inhabitsBoth(form, objectsOnly ? { type: ['object'] } : true)
    return verdict === 'empty' ? [{}] : []
  })
}
