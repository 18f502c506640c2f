// What registration refuses about the schemas themselves, judged by the prover and not by syntax: arguments that nobody declared, and
// schemas that no value satisfies. Answers are kept by schema, because tools made per request are registered again and again.
import type { Contradiction } from '../contract/tool/contradictions.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { canonicalize } from '../json/canonical.ts'
import { boundedCache } from '../schema/bounded-cache.ts'
import type { Preprocessed } from '../schema/normal.ts'
import { inhabitsBoth } from '../subschema/inhabits.ts'
import { isClosed } from '../subschema/is-closed.ts'

interface Row {
  readonly id: string
  readonly pointer: string
  readonly remedy: string
  /** What is wrong and where below the row's pointer; undefined where nothing is. */
  find(tool: Tool): { readonly pointer: string; readonly detail: string } | undefined
}

const inputAt = '/contract/affordance/input_schema'
const outputAt = '/contract/affordance/output_schema'

export const schemaContradictions: readonly Row[] = [
  {
    id: 'input-not-closed',
    pointer: inputAt,
    remedy:
      'A strict tool takes no argument that its schema does not declare, and whatever changes something is strict unless told otherwise; add additionalProperties: false (unevaluatedProperties: false beside allOf), or set strict to false.',
    find: ({ binding, input }) => (binding.strict ? opening(input.form) : undefined),
  },
  {
    id: 'input-unsatisfiable',
    pointer: inputAt,
    remedy:
      'No arguments satisfy this schema, so the tool could never be called; look for constraints that exclude each other.',
    find: ({ input }) => emptiness(input.form, true),
  },
  {
    id: 'output-unsatisfiable',
    pointer: outputAt,
    remedy:
      'No result satisfies this schema, so every call would fail after its effect; look for constraints that exclude each other.',
    find: ({ output }) => emptiness(output.form, false),
  },
]

export function findSchemaContradictions(tool: Tool): readonly Contradiction[] {
  return schemaContradictions.flatMap(({ id, pointer, remedy, find }): readonly Contradiction[] => {
    const found = find(tool)
    return found === undefined ? [] : [{ id, pointer: pointer + found.pointer, message: `${found.detail}${remedy}` }]
  })
}

type Found = ReturnType<Row['find']>

const openings = boundedCache<{ readonly found: Found }>(500)
const emptinesses = boundedCache<{ readonly found: Found }>(500)

/** Where the prover cannot tell, a strict schema counts as open: what cannot be shown closed is not taken for closed. */
function opening(form: Preprocessed): Found {
  return openings(form.hash, () => {
    const answer = isClosed(form)
    if (answer.verdict === 'closed') return { found: undefined }
    if (answer.verdict === 'open') {
      const example = canonicalize(answer.example).slice(0, 120)
      return { found: { pointer: answer.pointer, detail: `It accepts ${example}. ` } }
    }
    return { found: { pointer: '', detail: `Whether it is closed cannot be told (${answer.construct}). ` } }
  }).found
}

/** Only a proof of emptiness refuses; what cannot be told may well have values. */
function emptiness(form: Preprocessed, objectsOnly: boolean): Found {
  return emptinesses(`${objectsOnly} ${form.hash}`, () => {
    const { verdict } = inhabitsBoth(form, objectsOnly ? { type: ['object'] } : true)
    return { found: verdict === 'empty' ? { pointer: '', detail: '' } : undefined }
  }).found
}
