// Which definitions of a schema lead back to themselves, and how often each is referred to.
import type { NormalSchema, Preprocessed } from '../../schema/normal.ts'
import { walkSchemas } from '../../subschema/references/schema-text.ts'

export interface Definitions {
  readonly recursive: ReadonlySet<string>
  readonly uses: ReadonlyMap<string, number>
}

export function definitionsOf({ root, defs }: Preprocessed): Definitions {
  const uses = new Map<string, number>()
  const references = (schema: NormalSchema): readonly string[] => {
    const found: string[] = []
    walkSchemas(schema, ({ $ref }) => {
      if ($ref !== undefined) found.push($ref)
      return true
    })
    for (const key of found) uses.set(key, (uses.get(key) ?? 0) + 1)
    return found
  }
  references(root)
  const edges = new Map([...defs].map(([key, schema]) => [key, references(schema)]))
  const recursive = new Set([...defs.keys()].filter((key) => reaches(key, key, edges)))
  return { recursive, uses }
}

function reaches(from: string, to: string, edges: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set<string>()
  const waiting = [...(edges.get(from) ?? [])]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (key === to) return true
    if (seen.has(key)) continue
    seen.add(key)
    waiting.push(...(edges.get(key) ?? []))
  }
  return false
}

/** The name of a definition in what is written: its own as far as that can be told, and its number. */
export function definitionName(key: string, number: number): string {
  const stem = key
    .replaceAll(/[^a-zA-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(-40)
  return `${stem === '' ? 'part' : stem}_${number}`
}
