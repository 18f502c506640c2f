// What rules may read of the context: a closed object, defined here and nowhere else.
// Invariant: `exceedsContext` holds what a caller gives to the sizes that the bound of work was counted with.
import type { RuleContext } from '../../../contract/tool/rule.ts'
import { type Field, listShape, type MapShape, type Shape, textShape } from './shape.ts'

/** Names are limited where a context is read; lists of roles and scopes are limited where rules read them. */
const maxNameLength = 512
const maxNames = 1_000

const name = textShape(maxNameLength)
const names = listShape(name, { most: maxNames })

const fields: ReadonlyMap<string, { readonly required: boolean; readonly shape: Shape }> = new Map<
  keyof RuleContext,
  { readonly required: boolean; readonly shape: Shape }
>([
  ['tenant', { required: true, shape: name }],
  ['user', { required: false, shape: name }],
  ['roles', { required: true, shape: names }],
  ['scopes', { required: true, shape: names }],
  ['agent', { required: false, shape: name }],
  ['run', { required: false, shape: name }],
  ['workflow', { required: false, shape: name }],
  ['now', { required: true, shape: { kind: 'timestamp' } }],
])

export const contextShape: MapShape = {
  kind: 'map',
  size: { most: fields.size },
  keyLength: { most: 8 },
  field: (wanted): Field => {
    const field = fields.get(wanted)
    return field === undefined ? { declared: false, known: [...fields.keys()] } : { declared: true, ...field }
  },
  value: () => ({ kind: 'union', of: [] }),
}

export function exceedsContext({ roles, scopes }: RuleContext): boolean {
  return roles.length > maxNames || scopes.length > maxNames
}
