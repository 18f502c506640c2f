// Which arguments an input schema declares, for all that names arguments: a name that no call can have is found at registration, and not by
// the first call that was approved.

import { tokensOf } from '../../json/pointer.ts'
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { schemasAbout } from '../../schema/subschemas.ts'

/** One sentence for the author for each pointer that leads to nothing. */
export function undeclaredArguments(what: string, pointers: readonly string[], input: Preprocessed): readonly string[] {
  return pointers
    .filter((pointer) => !isDeclared(pointer, input))
    .map((pointer) => {
      const known = [
        ...new Set(schemasAbout([input.root], input).flatMap((node) => Object.keys(node.properties ?? {}))),
      ]
      const names = known.length === 0 ? 'none' : known.slice(0, 12).join(', ')
      return `${what} names ${pointer}, which the input schema does not declare. Declared: ${names}.`
    })
}

function isDeclared(pointer: string, input: Preprocessed): boolean {
  let here: readonly NormalSchema[] = [input.root]
  for (const token of tokensOf(pointer)) {
    here = schemasAbout(here, input).flatMap((node) => partsAt(node, token))
    if (here.length === 0) return false
  }
  return true
}

function partsAt(node: NormalObject, token: string): readonly NormalSchema[] {
  const named = node.properties?.[token]
  if (named !== undefined) return [named]
  // A map that says what its values are declares them all; `true` declares nothing.
  const rest = [node.additionalProperties, ...Object.values(node.patternProperties ?? {})]
  const items = /^(?:0|[1-9][0-9]*)$/.test(token) ? [node.prefixItems?.[Number(token)] ?? node.items] : []
  return [...rest, ...items].filter((part): part is NormalObject => typeof part === 'object')
}
