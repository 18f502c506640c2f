// Where @hyperjump/json-schema falls short, each as the smallest schema that shows it. A test holds every row to the truth, to our
// validator and to a third one, and fails when the second one has learned it, so that no excuse outlives its reason.
import type { JsonValue } from '../../src/json/value.ts'

export type Shortcoming =
  | 'reference-in-constant'
  | 'anchor-in-constant'
  | 'identifier-beside-reference'
  | 'definitions-beside-reference'

interface Row {
  readonly name: Shortcoming
  readonly why: string
  readonly draft: 'draft7' | 'draft2020-12'
  readonly schema: JsonValue
  readonly accepted: readonly JsonValue[]
  readonly refused: readonly JsonValue[]
}

export const shortcomings: readonly Row[] = [
  {
    name: 'reference-in-constant',
    why: 'What stands in const or enum is data; up to draft-07 the second validator follows a $ref in it.',
    draft: 'draft7',
    schema: { const: { $ref: 'a' } },
    accepted: [{ $ref: 'a' }],
    refused: [{ $ref: 'b' }],
  },
  {
    name: 'anchor-in-constant',
    why: 'What stands in const or enum is data; the second validator takes an $anchor out of it, and lets it shadow a real one.',
    draft: 'draft2020-12',
    schema: { const: { $anchor: 'a' } },
    accepted: [{ $anchor: 'a' }],
    refused: [{}],
  },
  {
    name: 'identifier-beside-reference',
    why: 'Up to draft-07 everything beside $ref is ignored, $id too; the second validator resolves the reference against it.',
    draft: 'draft7',
    schema: {
      $id: 'https://proviso.example/inner/',
      definitions: {
        inner: { $id: 'item.json', type: 'number' },
        outer: { $id: 'https://proviso.example/item.json', type: 'string' },
      },
      allOf: [{ $id: 'https://proviso.example/', $ref: 'item.json' }],
    },
    accepted: [1],
    refused: ['a'],
  },
  {
    name: 'definitions-beside-reference',
    why: 'A pointer leads to a place in the document, whether or not a $ref stands beside it; the second validator keeps only the $ref.',
    draft: 'draft7',
    schema: { definitions: { a: { type: 'number' } }, $ref: '#/definitions/a' },
    accepted: [1],
    refused: ['a'],
  },
]
