// Which tool of the new list is which of the old one: by name, then by request, by definition, and at last by a name that looks the same.
import { canonicalize } from '../../json/canonical.ts'
import { isObject, type JsonValue } from '../../json/value.ts'
import { skeleton } from '../rules/look-alike.ts'
import type { SourcePair } from '../rules/rule.ts'
import type { SourceSnapshot, ToolSnapshot } from '../snapshot.ts'

export function matchTools(before: SourceSnapshot, after: SourceSnapshot): SourcePair {
  const matched: { before: ToolSnapshot; after: ToolSnapshot }[] = []
  let removed: readonly ToolSnapshot[] = before.tools
  let added: readonly ToolSnapshot[] = after.tools
  for (const keyOf of keys) {
    const open = uniqueBy(added, keyOf)
    const single = uniqueBy(removed, keyOf)
    const taken = new Set<ToolSnapshot>()
    for (const [key, old] of single) {
      const renewed = open.get(key)
      if (renewed === undefined) continue
      matched.push({ before: old, after: renewed })
      taken.add(old).add(renewed)
    }
    removed = removed.filter((tool) => !taken.has(tool))
    added = added.filter((tool) => !taken.has(tool))
  }
  const [onlyOld, onlyNew] = [before.tools[0], after.tools[0]]
  if (isNamed(before) && isNamed(after) && matched.length === 0 && onlyOld && onlyNew) {
    return { before, after, matched: [{ before: onlyOld, after: onlyNew }], added: [], removed: [] }
  }
  return { before, after, matched, added, removed }
}

/** Two files of one tool each are compared because the caller asked for it. */
const isNamed = ({ kind, tools }: SourceSnapshot): boolean =>
  tools.length === 1 && (kind === 'tool-file' || kind === 'json-schema')

type Key = (tool: ToolSnapshot) => string | undefined

const keys: readonly Key[] = [
  // Several versions of one tool may stand side by side.
  ({ name, version }) => (version === undefined ? undefined : JSON.stringify([name, version])),
  ({ name }) => name,
  ({ request }) =>
    request === undefined ? undefined : `${request.method} ${request.path.replace(/\{[^}]*\}?/g, '{}')}`,
  ({ name, raw }) => definitionWithout(name, raw),
  ({ name }) => skeleton(name),
]

/** The same definition under another name; without a description a definition is like too many others. */
function definitionWithout(name: string, raw: JsonValue): string | undefined {
  if (!isObject(raw) || raw.name !== name) return undefined
  const { name: _name, ...rest } = raw
  return typeof rest.description === 'string' && rest.description !== '' ? canonicalize(rest) : undefined
}

/** A key that several tools share identifies none of them. */
function uniqueBy(tools: readonly ToolSnapshot[], keyOf: Key): ReadonlyMap<string, ToolSnapshot> {
  const found = new Map<string, ToolSnapshot | undefined>()
  for (const tool of tools) {
    const key = keyOf(tool)
    if (key !== undefined) found.set(key, found.has(key) ? undefined : tool)
  }
  return new Map([...found].flatMap(([key, tool]) => (tool === undefined ? [] : [[key, tool] as const])))
}
