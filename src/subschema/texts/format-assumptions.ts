// What a proof takes for granted about formats that only annotate: L's formats that R does not state as well.
import type { NormalObject, NormalSchema, Preprocessed } from '../../schema/normal.ts'

export function assumedFormats(r: Preprocessed, l: Preprocessed): readonly string[] {
  if (l.formats === 'assert') return []
  const stated = new Set(formatsOf(r).map(({ format }) => format))
  const assumes = formatsOf(l).map(({ format, pointer }) =>
    stated.has(format)
      ? `format ${JSON.stringify(format)} at ${pointer || 'the root'} of L means what it means in R`
      : `format ${JSON.stringify(format)} at ${pointer || 'the root'} of L describes and does not refuse`,
  )
  return [...new Set(assumes)]
}

function formatsOf(schema: Preprocessed): readonly { readonly format: string; readonly pointer: string }[] {
  const found: { readonly format: string; readonly pointer: string }[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const pointer = schema.sourcePointer(value as NormalSchema)
    if (pointer !== undefined) {
      const { format } = value as NormalObject
      if (format !== undefined) found.push({ format, pointer })
    }
    for (const [word, child] of Object.entries(value)) if (word !== 'enum' && word !== 'const') visit(child)
  }
  visit(schema.root)
  for (const node of schema.defs.values()) visit(node)
  return found
}
